// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's side of a kernel as IR, in dialects that every host lowers: func,
// arith, memref, scf, cf and gpu (and llvm, where DriverCode.h is needed).
#ifndef FA_LOWERING_EMBED_HOSTCODE_H
#define FA_LOWERING_EMBED_HOSTCODE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::fa {

/// A launching function while its body is built: the artefact's tensors and
/// scalars by name, as 64-bit integers and as they are.
class HostBuilder {
public:
  /// An empty body for `function`, whose arguments are called as those of
  /// `entry` (stage `buffers`). It stays a function of its own (no_inline).
  HostBuilder(func::FuncOp function, func::FuncOp entry);

  struct Tensor {
    Type element;
    Value address; // with the offset
    SmallVector<Value> sizes, strides;
  };
  const Tensor &tensor(StringRef name) { return tensors[name]; }
  Value scalar(StringRef name) { return scalars.lookup(name); }

  /// The value of one of the manifest's expressions: i64, or i1 where it is a
  /// truth value.
  Value evaluate(Attribute expr);
  Value number(int64_t value);
  /// `value`, an index, as i64.
  Value widen(Value value);

  OpBuilder b;
  Location loc;
  /// Multiprocessors of the device, where expressions ask for them.
  Value units;

private:
  void readTensor(StringRef name, Value memref);
  Value floorMod(Value a, Value n);
  Value floorDiv(Value a, Value n);
  Value combine(StringRef op, Value a, Value n);

  llvm::StringMap<Tensor> tensors;
  llvm::StringMap<Value> scalars;
};

/// Fills `function`, whose artefact is `bytes`, with a call of libfa_runtime.
/// The module gets the bytes and the runtime's functions.
void buildRuntimeCall(ModuleOp module, func::FuncOp function,
                      func::FuncOp entry, DictionaryAttr manifest,
                      StringRef bytes);

/// Fills `function` with the choice among the kernels of `manifest` and their
/// launches from `binary`.
LogicalResult buildLaunch(func::FuncOp function, func::FuncOp entry,
                          DictionaryAttr manifest, gpu::BinaryOp binary);

} // namespace mlir::fa

#endif // FA_LOWERING_EMBED_HOSTCODE_H
