// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAVERSIONACCESS
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Bytes of one access of the wide kernel: a vector of four 32-bit registers,
/// the widest that cp.async and ld/st.global have (PTX ISA).
static constexpr int64_t kWide = 16;

/// What is loaded and stored row by row; the rest is read an element at a time.
static bool hasRows(StringRef tensor) {
  return tensor == "q" || tensor == "k" || tensor == "v" || tensor == "o";
}

/// Whether the rows of q, k, v and o may be touched 16 bytes at a time: their
/// addresses and strides are multiples of that.
static Attribute rowsAreAligned(ManifestBuilder &manifest,
                                gpu::GPUFuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  SmallVector<Attribute> terms;
  llvm::StringMap<int64_t> perAccess;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    auto param = kernel.getArgAttrOfType<ParamAttr>(i, kParamAttr);
    if (!param)
      continue;
    StringRef name = param.getName();
    if (!hasRows(name))
      continue;
    auto quoted = StringAttr::get(context, name);
    if (param.getKind() == ParamKind::Pointer) {
      auto type = cast<MemRefType>(kernel.getArgument(i).getType());
      perAccess[name] = kWide * 8 / type.getElementTypeBitWidth();
      terms.push_back(
          manifest.expr("aligned", {quoted, manifest.number(kWide)}));
    }
    if (param.getKind() == ParamKind::Stride) {
      Attribute stride =
          manifest.expr("stride", {quoted, manifest.number(param.getDim())});
      Attribute rest = manifest.expr(
          "mod", {stride, manifest.number(perAccess.lookup(name))});
      terms.push_back(manifest.expr("eq", {rest, manifest.number(0)}));
    }
  }
  return manifest.expr("and", terms);
}

/// Whether static strides or offsets, which no launch predicate sees, put rows
/// at addresses that are no multiples of 16 bytes.
static bool mayBeMisaligned(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel.walk([&](memref::ReinterpretCastOp cast) {
    auto type = cast.getType();
    auto base = dyn_cast<BlockArgument>(cast.getSource());
    auto param = base && base.getOwner() == &kernel.getBody().front()
                     ? kernel.getArgAttrOfType<ParamAttr>(base.getArgNumber(),
                                                          kParamAttr)
                     : ParamAttr();
    if (!param || !hasRows(param.getName()))
      return WalkResult::advance();
    int64_t bits = type.getElementTypeBitWidth();
    auto isOdd = [&](int64_t elements) {
      return !ShapedType::isDynamic(elements) &&
             elements * bits % (kWide * 8) != 0;
    };
    bool odd = isOdd(cast.getStaticOffset(0)) ||
               llvm::any_of(cast.getStaticStrides().drop_back(), isOdd);
    return odd ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

namespace {
struct VersionAccessPass
    : mlir::fa::impl::FaVersionAccessBase<VersionAccessPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"outlined"})))
      return signalPassFailure();
    SmallVector<gpu::GPUFuncOp> kernels;
    module.walk([&](gpu::GPUFuncOp func) {
      if (func->hasAttr(kKernelAttr) && !func->hasAttr(kAccessAttr))
        kernels.push_back(func);
    });
    for (gpu::GPUFuncOp kernel : kernels)
      if (mayBeMisaligned(kernel))
        dropIfWide(module, kernel);
      else
        addWideVersion(module, kernel);
  }

  static std::string wideName(gpu::GPUFuncOp kernel) {
    return (kernel.getName() + "_wide").str();
  }

  void addWideVersion(ModuleOp module, gpu::GPUFuncOp kernel) {
    OpBuilder b(kernel);
    if (kernel->hasAttr(kTmaAttr) || kernel->hasAttr(kWideAttr)) {
      // TMA asks no less; for other tensors there is another kernel.
      kernel->setAttr(kAccessAttr, b.getI64IntegerAttr(kWide));
      restrict(module, kernel);
      return;
    }
    std::string name = wideName(kernel);
    auto gpuModule = kernel->getParentOfType<gpu::GPUModuleOp>();
    if (gpuModule.lookupSymbol(name)) { // with tiles of its own
      addToManifest(module, kernel, /*name=*/"");
      return;
    }
    auto wide = cast<gpu::GPUFuncOp>(b.clone(*kernel));
    wide.setName(name);
    wide->setAttr(kAccessAttr, b.getI64IntegerAttr(kWide));
    addToManifest(module, kernel, name);
  }

  /// No launch could tell whether rows are aligned.
  static void dropIfWide(ModuleOp module, gpu::GPUFuncOp kernel) {
    if (!kernel->hasAttr(kWideAttr))
      return;
    replaceKernelEntry(module, kernel.getName(),
                       [](const NamedAttrList &) { return KernelEntries{}; });
    kernel.erase();
  }

  /// The kernel is for aligned rows alone.
  static void restrict(ModuleOp module, gpu::GPUFuncOp kernel) {
    ManifestBuilder manifest(module.getContext());
    replaceKernelEntry(module, kernel.getName(), [&](NamedAttrList entry) {
      entry.set("when", manifest.both(entry.get("when"),
                                      rowsAreAligned(manifest, kernel)));
      return KernelEntries{entry};
    });
  }

  /// The wide kernel's entry stands in front of the one that it is a copy of;
  /// without a `name` it is there.
  static void addToManifest(ModuleOp module, gpu::GPUFuncOp kernel,
                            StringRef name) {
    Builder b(module.getContext());
    ManifestBuilder manifest(module.getContext());
    replaceKernelEntry(module, kernel.getName(), [&](NamedAttrList plain) {
      NamedAttrList wide = plain;
      wide.set("name", b.getStringAttr(name));
      wide.set("when", manifest.both(plain.get("when"),
                                     rowsAreAligned(manifest, kernel)));
      plain.set("note",
                b.getStringAttr("rows of q, k, v or o are not aligned to 16 "
                                "bytes: element-wise loads and stores"));
      return name.empty() ? KernelEntries{plain} : KernelEntries{wide, plain};
    });
  }
};
} // namespace
