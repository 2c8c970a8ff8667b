// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel whose tiles come by TMA is for tensors that a tensor map can
// describe: its launch predicate says so.
#include "dialect/Fa/FaDialect.h"
#include "dialect/Target/GpuTarget.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAREQUIRETMA
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// Steps of a wgmma product and columns at most of its result (PTX ISA,
/// wgmma.mma_async .m64nNk16).
static constexpr int64_t kMaxColumns = 256, kStep = 16;
/// Limits of a tensor map (CUDA driver API, cuTensorMapEncodeTiled): strides
/// below 2^40 bytes, extents up to 2^32; coordinates are 32-bit and signed, and
/// so are all numbers of rows and tiles (WgNarrowIndices.cpp), to which some
/// tiles may be added.
static constexpr int64_t kMaxStrideBytes = int64_t(1) << 40;
static constexpr int64_t kMaxExtent = (int64_t(1) << 31) - (1 << 16);

/// The tensors that may get a map.
static bool isTile(ParamAttr param) {
  StringRef name = param.getName();
  return name == "q" || name == "k" || name == "v" || name == "o";
}

/// Whether wgmma can do all products of the kernel.
static bool productsFit(gpu::GPUFuncOp kernel) {
  WalkResult walk = kernel.walk([](linalg::MatmulOp product) {
    for (Value operand : product.getInputs()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      bool fits =
          type && type.hasStaticShape() && type.getRank() == 2 &&
          (type.getElementType().isF16() || type.getElementType().isBF16());
      if (!fits || llvm::any_of(type.getShape(),
                                [](int64_t n) { return n % kStep != 0; }))
        return WalkResult::interrupt();
    }
    auto result = cast<RankedTensorType>(product.getResult(0).getType());
    return result.getDimSize(1) <= kMaxColumns ? WalkResult::advance()
                                               : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

/// Whether the sizes and strides of q, k, v and o that no launch predicate sees
/// are such that a tensor map can have them.
static bool staticsFit(gpu::GPUFuncOp kernel) {
  WalkResult walk = kernel.walk([&](memref::ReinterpretCastOp cast) {
    auto pointer = dyn_cast<BlockArgument>(cast.getSource());
    auto param = pointer && pointer.getOwner() == &kernel.getBody().front()
                     ? kernel.getArgAttrOfType<ParamAttr>(
                           pointer.getArgNumber(), kParamAttr)
                     : ParamAttr();
    if (!param || !isTile(param))
      return WalkResult::advance();
    auto isBetween = [](int64_t most) {
      return [most](int64_t n) {
        return ShapedType::isDynamic(n) || (n > 0 && n <= most);
      };
    };
    bool fits =
        llvm::all_of(cast.getStaticSizes(), isBetween(kMaxExtent)) &&
        llvm::all_of(cast.getStaticStrides(), isBetween(kMaxStrideBytes / 2));
    return fits ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

/// Whether there are launches that the kernel can take.
static bool canUseTma(gpu::GPUFuncOp kernel) {
  auto chip = kernel->getParentOp()->getAttrOfType<StringAttr>(kTargetAttr);
  const ::fa::target::GpuTarget *target =
      chip ? ::fa::target::findGpuTarget(chip.getValue()) : nullptr;
  return target && target->hasTma && target->hasWgmma &&
         kernel->hasAttr(kAccessAttr) && productsFit(kernel) &&
         staticsFit(kernel);
}

/// `when` and what a tensor map asks besides: extents that are not zero, and
/// positive strides within its limits; and that tiles can be counted.
static Attribute whenTmaCanLoad(ManifestBuilder &manifest,
                                gpu::GPUFuncOp kernel, Attribute when,
                                Attribute tiles) {
  SmallVector<Attribute> terms{when};
  auto within = [&](Attribute value, int64_t most) {
    terms.push_back(manifest.expr("gt", {value, manifest.number(0)}));
    terms.push_back(manifest.expr("le", {value, manifest.number(most)}));
  };
  if (tiles)
    terms.push_back(manifest.expr("le", {tiles, manifest.number(kMaxExtent)}));
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    auto param = kernel.getArgAttrOfType<ParamAttr>(i, kParamAttr);
    if (!param || !isTile(param) || param.getKind() == ParamKind::Pointer)
      continue;
    auto name = StringAttr::get(kernel.getContext(), param.getName());
    Attribute value = manifest.expr(stringifyParamKind(param.getKind()),
                                    {name, manifest.number(param.getDim())});
    constexpr int64_t kElementBytes = 2;
    bool isSize = param.getKind() == ParamKind::Size;
    within(value, isSize ? kMaxExtent : kMaxStrideBytes / kElementBytes - 1);
  }
  return manifest.expr("and", terms);
}

namespace {
struct RequireTmaPass : mlir::fa::impl::FaRequireTmaBase<RequireTmaPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"outlined"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      if (!kernel->hasAttr(kTmaAttr))
        continue;
      if (canUseTma(kernel))
        restrict(module, kernel);
      else
        drop(module, kernel);
    }
    SmallVector<gpu::GPUFuncOp> kernels = findKernels(module);
    auto hasTma = [](gpu::GPUFuncOp kernel) {
      return kernel->hasAttr(kTmaAttr);
    };
    if (llvm::any_of(kernels, hasTma))
      for (gpu::GPUFuncOp kernel : kernels)
        if (!hasTma(kernel) && kernel->hasAttr(kAccessAttr))
          explain(module, kernel);
  }

private:
  static void restrict(ModuleOp module, gpu::GPUFuncOp kernel) {
    ManifestBuilder manifest(module.getContext());
    replaceKernelEntry(module, kernel.getName(), [&](NamedAttrList entry) {
      entry.set("when", whenTmaCanLoad(manifest, kernel, entry.get("when"),
                                       entry.get("grid")));
      return KernelEntries{entry};
    });
  }

  /// Why a launch comes to take the kernel.
  static void explain(ModuleOp module, gpu::GPUFuncOp kernel) {
    replaceKernelEntry(module, kernel.getName(), [&](NamedAttrList entry) {
      entry.set("note", StringAttr::get(module.getContext(),
                                        "no tensor map can describe q, k, v "
                                        "or o: cp.async and mma.sync"));
      return KernelEntries{entry};
    });
  }

  static void drop(ModuleOp module, gpu::GPUFuncOp kernel) {
    emitRemark(kernel.getLoc())
        << "no kernel with TMA: its tiles are no multiples of " << kStep
        << ", the chip lacks it, or static strides or extents rule it out";
    replaceKernelEntry(module, kernel.getName(),
                       [](NamedAttrList) { return KernelEntries{}; });
    kernel.erase();
  }
};
} // namespace
