// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a kernel at stage outlined to one at stage values: tiles as tensors
// become tiles in registers and in shared memory, one op for one op.
#ifndef FA_PASSES_TOWG_H
#define FA_PASSES_TOWG_H

#include "dialect/Wg/WgTypes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fa {

/// Rewrites the body of one kernel.
class ToWgConverter {
public:
  /// Tiles are shared by `warps` and moved in pieces of `bytes`; those in
  /// shared memory stand there as `swizzle` says.
  ToWgConverter(gpu::GPUFuncOp kernel, int64_t warps, int64_t bytes,
                wg::Swizzle swizzle)
      : kernel(kernel), warps(warps), bytes(bytes), swizzle(swizzle),
        b(kernel.getContext()) {}

  LogicalResult run();

private:
  // ToWg.cpp
  LogicalResult convertBlock(Block &block);
  LogicalResult convertOp(Operation *op);
  LogicalResult copy(Operation *op);
  LogicalResult convert(scf::ForOp op);
  LogicalResult convert(scf::IfOp op);
  LogicalResult convertOperands(OperandRange operands, Location loc,
                                SmallVectorImpl<Value> &converted);
  FailureOr<Type> convertType(Type type, Location loc);
  FailureOr<Value> fragment(Value tensor, Location loc);

  // ToWgMemory.cpp
  LogicalResult convert(bufferization::ToTensorOp op);
  LogicalResult convert(tensor::PadOp op);
  LogicalResult convert(tensor::CastOp op);
  LogicalResult convert(bufferization::MaterializeInDestinationOp op);
  LogicalResult load(Value result, Value rows);

  // ToWgCompute.cpp
  LogicalResult convert(linalg::FillOp op);
  LogicalResult convert(linalg::MatmulOp op);
  LogicalResult convert(linalg::GenericOp op);
  LogicalResult convertMap(linalg::GenericOp op);
  LogicalResult findMapOperands(linalg::GenericOp op,
                                SmallVectorImpl<Value> &operands,
                                SmallVectorImpl<BlockArgument> &elements);
  LogicalResult convertReduction(linalg::GenericOp op);

  gpu::GPUFuncOp kernel;
  int64_t warps, bytes;
  wg::Swizzle swizzle;
  OpBuilder b;
  /// Values of the old body to values of the new one.
  IRMapping mapping;
};

} // namespace mlir::fa

#endif // FA_PASSES_TOWG_H
