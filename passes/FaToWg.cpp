// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// outlined -> values: tiles as tensors become tiles in registers and in shared
// memory, one op for one op. What an op is for plays no part; its shape does:
//
//   tensor.pad of a memref's rows     a load into shared memory
//   linalg.matmul                     wg.mma
//   linalg.generic, all parallel      wg.map
//   linalg.generic, rows reduced      wg.reduce_rows
//   linalg.fill                       wg.splat
//   materialize_in_destination        wg.store, wg.store_rows
//
// Loops and branches keep their form and carry the new types.
#include "dialect/Fa/FaDialect.h"
#include "dialect/Wg/WgOps.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"
#include "passes/WgRegisters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FATOWG
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;

namespace {
/// Rewrites the body of one kernel.
class KernelConverter {
public:
  KernelConverter(gpu::GPUFuncOp kernel, int64_t warps, int64_t bytes,
                  wg::Swizzle swizzle)
      : kernel(kernel), warps(warps), bytes(bytes), swizzle(swizzle),
        b(kernel.getContext()) {}

  LogicalResult run();

private:
  LogicalResult convertBlock(Block &block);
  LogicalResult convert(Operation *op);
  LogicalResult convertPad(tensor::PadOp op);
  LogicalResult convertCast(tensor::CastOp op);
  LogicalResult convertRows(Operation *op, RankedTensorType type);
  LogicalResult convertFill(linalg::FillOp op);
  LogicalResult convertMatmul(linalg::MatmulOp op);
  LogicalResult convertGeneric(linalg::GenericOp op);
  LogicalResult convertMap(linalg::GenericOp op);
  LogicalResult convertReduction(linalg::GenericOp op);
  LogicalResult convertOperands(OperandRange operands, Location loc,
                                SmallVectorImpl<Value> &converted);
  LogicalResult convertFor(scf::ForOp op);
  LogicalResult convertIf(scf::IfOp op);
  LogicalResult convertStore(bufferization::MaterializeInDestinationOp op);

  FailureOr<Type> convertType(Type type, Location loc);
  FailureOr<Value> fragment(Value tensor, Location loc);
  FailureOr<Value> load(Value tensor, int64_t rows, Location loc);

  gpu::GPUFuncOp kernel;
  int64_t warps, bytes;
  wg::Swizzle swizzle;
  OpBuilder b;
  /// Values of the old body to values of the new one.
  IRMapping mapping;
};
} // namespace

static int64_t elementBytes(Value memref) {
  return cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
}

static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

/// tensor<rows x columns> is a fragment, tensor<rows> a row vector.
FailureOr<Type> KernelConverter::convertType(Type type, Location loc) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  ArrayRef<int64_t> shape = tensor.getShape();
  bool fits =
      tensor.hasStaticShape() && !shape.empty() && shape.size() <= 2 &&
      shape[0] % (16 * warps) == 0 &&
      (shape.size() == 1 ? tensor.getElementType().isF32() : shape[1] % 8 == 0);
  if (!fits)
    return emitError(loc)
           << "expects a tile of static shape, its rows a "
              "multiple of 16 for each of the "
           << warps << " warps and its columns of 8 (or a vector of f32), got "
           << type;
  Type element = tensor.getElementType();
  if (shape.size() == 1)
    return Type(wg::RowsType::get(shape[0], element, warps));
  auto frag = wg::FragType::getChecked([&] { return emitError(loc); },
                                       loc.getContext(), shape[0], shape[1],
                                       element, wg::FragLayout::Acc, warps);
  if (!frag)
    return failure();
  return Type(frag);
}

/// The fragment or row vector that stands for `tensor`.
FailureOr<Value> KernelConverter::fragment(Value tensor, Location loc) {
  Value value = mapping.lookupOrNull(tensor);
  if (value && isa<wg::FragType, wg::RowsType>(value.getType()))
    return value;
  return emitError(loc) << "expects an operand that was computed in the "
                           "kernel, got "
                        << tensor;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// The rows of a memref that `tensor` names as a shared tile of `rows` rows.
FailureOr<Value> KernelConverter::load(Value tensor, int64_t rows,
                                       Location loc) {
  auto source = tensor.getDefiningOp<bufferization::ToTensorOp>();
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!source || type.getRank() != 2 || type.isDynamicDim(1))
    return emitError(loc) << "expects rows of a memref (to_tensor of a "
                             "two-dimensional memref), got "
                          << tensor;
  Value memref = mapping.lookupOrDefault(source.getBuffer());
  Value exist =
      b.createOrFold<memref::DimOp>(loc, memref, static_cast<int64_t>(0));
  auto tile = wg::SmemType::getChecked([&] { return emitError(loc); }, rows,
                                       type.getDimSize(1),
                                       type.getElementType(), swizzle);
  if (!tile)
    return failure();
  return Value(wg::LoadOp::create(b, loc, tile, memref, exist,
                                  b.getI64IntegerAttr(bytes)));
}

LogicalResult KernelConverter::convertPad(tensor::PadOp op) {
  Value padding = op.getConstantPaddingValue();
  bool zeros = padding && matchPattern(padding, m_AnyZeroFloat());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  bool rowsOnly = type && type.hasStaticShape() && type.getRank() == 2 &&
                  llvm::all_of(op.getMixedLowPad(), isZeroInteger) &&
                  isZeroInteger(op.getMixedHighPad()[1]);
  if (!zeros || !rowsOnly)
    return op.emitOpError() << "expects zeros after the rows of a tile, and a "
                               "static shape";
  return convertRows(op, type);
}

/// Rows of which all are known to exist: what is left of a pad by nothing.
LogicalResult KernelConverter::convertCast(tensor::CastOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !type.hasStaticShape() || type.getRank() != 2)
    return op.emitOpError() << "expects a static shape of two dimensions";
  return convertRows(op, type);
}

/// Loads a tile of `type` from the rows that `op`'s first operand is.
LogicalResult KernelConverter::convertRows(Operation *op,
                                           RankedTensorType type) {
  FailureOr<Value> tile =
      load(op->getOperand(0), type.getDimSize(0), op->getLoc());
  if (failed(tile))
    return failure();
  mapping.map(op->getResult(0), *tile);
  return success();
}

LogicalResult
KernelConverter::convertStore(bufferization::MaterializeInDestinationOp op) {
  auto slice = op.getSource().getDefiningOp<tensor::ExtractSliceOp>();
  Value tile = slice ? slice.getSource() : op.getSource();
  if (slice && !(slice.hasUnitStride() &&
                 llvm::all_of(slice.getMixedOffsets(), isZeroInteger)))
    return op.emitOpError()
           << "expects the first rows of a tile, got " << slice.getResult();
  FailureOr<Value> value = fragment(tile, op.getLoc());
  if (failed(value))
    return failure();
  Value memref = mapping.lookupOrDefault(op.getDest());
  Value rows = b.createOrFold<memref::DimOp>(op.getLoc(), memref,
                                             static_cast<int64_t>(0));
  if (isa<wg::RowsType>(value->getType()))
    wg::StoreRowsOp::create(b, op.getLoc(), *value, memref, rows);
  else
    wg::StoreOp::create(
        b, op.getLoc(), *value, memref, rows,
        b.getI64IntegerAttr(std::max<int64_t>(bytes, elementBytes(memref))));
  return success();
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

LogicalResult KernelConverter::convertFill(linalg::FillOp op) {
  FailureOr<Type> type = convertType(op.getResult(0).getType(), op.getLoc());
  if (failed(type))
    return failure();
  Value value = mapping.lookupOrDefault(op.getInputs()[0]);
  mapping.map(op.getResult(0),
              wg::SplatOp::create(b, op.getLoc(), *type, value).getResult());
  return success();
}

/// The left operand comes from shared memory or, as the A operand of a product,
/// from registers; the right one from shared memory.
LogicalResult KernelConverter::convertMatmul(linalg::MatmulOp op) {
  AffineExpr m, n, k;
  bindDims(op.getContext(), m, n, k);
  auto map = [&](AffineExpr x, AffineExpr y) {
    return AffineMap::get(3, 0, {x, y}, op.getContext());
  };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool transposed = maps[1] == map(n, k);
  if (maps[0] != map(m, k) || maps[2] != map(m, n) ||
      (!transposed && maps[1] != map(k, n)))
    return op.emitOpError()
           << "expects (m, k) x (k, n) or (m, k) x (n, k), got "
           << op.getIndexingMapsAttr();
  Value a = mapping.lookupOrNull(op.getInputs()[0]);
  Value right = mapping.lookupOrNull(op.getInputs()[1]);
  FailureOr<Value> init = fragment(op.getOutputs()[0], op.getLoc());
  if (!a || !right || failed(init) || !isa<wg::SmemType>(right.getType()))
    return op.emitOpError() << "expects a right operand that is loaded from "
                               "memory and operands of this kernel";
  auto frag = dyn_cast<wg::FragType>(a.getType());
  if (frag && !frag.getElementType().isF16() && !frag.getElementType().isBF16())
    return op.emitOpError() << "expects a left operand of f16 or bf16, got "
                            << op.getInputs()[0].getType();
  if (frag)
    a = wg::RelayoutOp::create(b, op.getLoc(),
                               frag.withLayout(wg::FragLayout::A), a);
  mapping.map(op.getResult(0),
              wg::MmaOp::create(b, op.getLoc(), init->getType(), a, right,
                                *init, transposed)
                  .getResult());
  return success();
}

LogicalResult KernelConverter::convertGeneric(linalg::GenericOp op) {
  if (op.getNumResults() != 1)
    return op.emitOpError() << "expects one result, got " << op.getNumResults();
  if (op.getNumReductionLoops() == 0)
    return convertMap(op);
  return convertReduction(op);
}

/// Elementwise: each operand is the tile's own element, or its row's.
LogicalResult KernelConverter::convertMap(linalg::GenericOp op) {
  Location loc = op.getLoc();
  FailureOr<Type> type = convertType(op.getResult(0).getType(), loc);
  if (failed(type))
    return failure();
  Block &body = op.getRegion().front();
  unsigned rank = op.getNumLoops();
  auto identity = AffineMap::getMultiDimIdentityMap(rank, op.getContext());
  if (op.getIndexingMapsArray().back() != identity)
    return op.emitOpError()
           << "expects a result indexed as the tile, got "
           << AffineMapAttr::get(op.getIndexingMapsArray().back());
  SmallVector<Value> operands;
  SmallVector<BlockArgument> elements;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument element = op.getMatchingBlockArgument(&operand);
    if (element.use_empty())
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (map.getNumResults() == 0 ||
        map != identity.getMajorSubMap(map.getNumResults()))
      return op.emitOpError() << "expects operands indexed as the tile or by "
                                 "its row, got "
                              << AffineMapAttr::get(map);
    FailureOr<Value> value = fragment(operand.get(), loc);
    if (failed(value))
      return failure();
    operands.push_back(*value);
    elements.push_back(element);
  }
  auto made = wg::MapOp::create(b, loc, *type, operands);
  Block *block = b.createBlock(&made.getBody());
  for (BlockArgument element : elements)
    mapping.map(element, block->addArgument(element.getType(), loc));
  for (unsigned i = 0; i < rank; ++i)
    block->addArgument(b.getIndexType(), loc);
  for (Operation &inner : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(),
                  block->getArgument(elements.size() + index.getDim()));
      continue;
    }
    b.clone(inner, mapping);
  }
  Value yielded = mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  wg::YieldOp::create(b, loc, ValueRange{yielded});
  b.setInsertionPointAfter(made);
  mapping.map(op.getResult(0), made.getResult());
  return success();
}

/// The value of each row joined to its elements.
LogicalResult KernelConverter::convertReduction(linalg::GenericOp op) {
  AffineExpr row, column;
  bindDims(op.getContext(), row, column);
  Block &body = op.getRegion().front();
  bool form = op.getNumLoops() == 2 && op.getInputs().size() == 1 &&
              op.getIteratorTypesArray()[1] == utils::IteratorType::reduction &&
              op.getIndexingMapsArray()[0].isIdentity() &&
              op.getIndexingMapsArray()[1] ==
                  AffineMap::get(2, 0, {row}, op.getContext()) &&
              llvm::hasNItems(body, 2);
  Operation *combine = &body.front();
  bool joins =
      form && combine->getNumOperands() == 2 &&
      body.getTerminator()->getOperand(0).getDefiningOp() == combine &&
      llvm::is_contained(combine->getOperands(), body.getArgument(0)) &&
      llvm::is_contained(combine->getOperands(), body.getArgument(1));
  std::optional<wg::Combine> kind;
  if (joins && isa<arith::AddFOp>(combine))
    kind = wg::Combine::AddF;
  else if (joins && isa<arith::MaximumFOp>(combine))
    kind = wg::Combine::MaximumF;
  if (!kind)
    return op.emitOpError() << "expects a sum (arith.addf) or a maximum "
                               "(arith.maximumf) along the rows of one tile";
  FailureOr<Value> tile = fragment(op.getInputs()[0], op.getLoc());
  FailureOr<Value> init = fragment(op.getOutputs()[0], op.getLoc());
  if (failed(tile) || failed(init))
    return failure();
  mapping.map(op.getResult(0),
              wg::ReduceRowsOp::create(b, op.getLoc(), init->getType(), *kind,
                                       *tile, *init)
                  .getResult());
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// What a loop or a branch takes or yields: fragments in the place of tensors.
LogicalResult
KernelConverter::convertOperands(OperandRange operands, Location loc,
                                 SmallVectorImpl<Value> &converted) {
  for (Value operand : operands) {
    if (isTensor(operand) && failed(fragment(operand, loc)))
      return failure();
    converted.push_back(mapping.lookupOrDefault(operand));
  }
  return success();
}

LogicalResult KernelConverter::convertFor(scf::ForOp op) {
  SmallVector<Value> inits;
  if (failed(convertOperands(op.getInitArgs(), op.getLoc(), inits)))
    return failure();
  auto made = scf::ForOp::create(b, op.getLoc(),
                                 mapping.lookupOrDefault(op.getLowerBound()),
                                 mapping.lookupOrDefault(op.getUpperBound()),
                                 mapping.lookupOrDefault(op.getStep()), inits);
  mapping.map(op.getBody()->getArguments(), made.getBody()->getArguments());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(made.getBody());
  // The builder ends a loop that carries nothing by itself.
  if (inits.empty())
    b.setInsertionPoint(made.getBody()->getTerminator());
  if (failed(convertBlock(*op.getBody())))
    return failure();
  if (!inits.empty()) {
    auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
    SmallVector<Value> yielded;
    if (failed(convertOperands(yield.getOperands(), op.getLoc(), yielded)))
      return failure();
    scf::YieldOp::create(b, op.getLoc(), yielded);
  }
  mapping.map(op.getResults(), made.getResults());
  return success();
}

LogicalResult KernelConverter::convertIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes()) {
    FailureOr<Type> converted = convertType(type, op.getLoc());
    if (failed(converted))
      return failure();
    types.push_back(*converted);
  }
  bool hasElse = !op.getElseRegion().empty();
  auto made = scf::IfOp::create(b, op.getLoc(), types,
                                mapping.lookupOrDefault(op.getCondition()),
                                /*addThenBlock=*/true, hasElse);
  OpBuilder::InsertionGuard guard(b);
  for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions())) {
    if (from.empty())
      continue;
    b.setInsertionPointToEnd(&to.front());
    if (failed(convertBlock(from.front())))
      return failure();
    SmallVector<Value> yielded;
    if (failed(convertOperands(from.front().getTerminator()->getOperands(),
                               op.getLoc(), yielded)))
      return failure();
    scf::YieldOp::create(b, op.getLoc(), yielded);
  }
  mapping.map(op.getResults(), made.getResults());
  return success();
}

LogicalResult KernelConverter::convert(Operation *op) {
  // These name storage or a part of a tile; their users say what becomes of it.
  if (isa<tensor::EmptyOp, tensor::ExtractSliceOp>(op))
    return success();
  if (auto source = dyn_cast<bufferization::ToTensorOp>(op)) {
    auto type = cast<RankedTensorType>(source.getType());
    bool isPadded = llvm::all_of(source->getUsers(), [](Operation *user) {
      return isa<tensor::PadOp, tensor::CastOp>(user);
    });
    if (!type.hasStaticShape() || isPadded)
      return success();
    // A whole tile, which needs no padding.
    FailureOr<Value> tile =
        load(source.getResult(), type.getDimSize(0), op->getLoc());
    if (failed(tile))
      return failure();
    mapping.map(source.getResult(), *tile);
    return success();
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return convertPad(pad);
  if (auto cast = dyn_cast<tensor::CastOp>(op);
      cast && isTensor(cast.getResult()))
    return convertCast(cast);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return convertFill(fill);
  if (auto matmul = dyn_cast<linalg::MatmulOp>(op))
    return convertMatmul(matmul);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return convertGeneric(generic);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return convertFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return convertIf(branch);
  if (auto store = dyn_cast<bufferization::MaterializeInDestinationOp>(op))
    return convertStore(store);
  WalkResult onTensors = op->walk([](Operation *inner) {
    bool any = llvm::any_of(inner->getOperands(), isTensor) ||
               llvm::any_of(inner->getResults(), isTensor);
    return any ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (onTensors.wasInterrupted())
    return op->emitOpError() << "on tensors has no form at stage values";
  b.clone(*op, mapping);
  return success();
}

LogicalResult KernelConverter::convertBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(convert(&op)))
      return failure();
  return success();
}

LogicalResult KernelConverter::run() {
  Block &old = kernel.getBody().front();
  Block *made = b.createBlock(&kernel.getBody(), kernel.getBody().end());
  for (BlockArgument argument : old.getArguments())
    mapping.map(argument,
                made->addArgument(argument.getType(), argument.getLoc()));
  b.setInsertionPointToEnd(made);
  if (failed(convertBlock(old)))
    return failure();
  gpu::ReturnOp::create(b, old.getTerminator()->getLoc());
  old.dropAllReferences();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(old))) {
    op.dropAllUses();
    op.erase();
  }
  old.erase();
  return success();
}

namespace {
struct ToWgPass : mlir::fa::impl::FaToWgBase<ToWgPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(mlir::fa::expectStage(module, {"outlined"})))
      return signalPassFailure();
    FailureOr<SmallVector<gpu::GPUFuncOp>> kernels =
        mlir::fa::expectKernels(module);
    if (failed(kernels))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : *kernels)
      if (failed(convert(kernel)))
        return signalPassFailure();
    mlir::fa::setStage(module, "values");
  }

  LogicalResult convert(gpu::GPUFuncOp kernel) {
    auto schedule =
        kernel->getAttrOfType<mlir::fa::ScheduleAttr>(mlir::fa::kScheduleAttr);
    if (!schedule)
      return kernel.emitOpError()
             << "expects the attribute " << mlir::fa::kScheduleAttr
             << ", which says how many warps share a tile";
    if (!llvm::hasSingleElement(kernel.getBody()))
      return kernel.emitOpError() << "expects a body of one block, got "
                                  << kernel.getBody().getBlocks().size();
    auto access = kernel->getAttrOfType<IntegerAttr>(mlir::fa::kAccessAttr);
    bool byTma = kernel->hasAttr(mlir::fa::kTmaAttr);
    if (failed(KernelConverter(kernel, schedule.getWarps(),
                               access ? access.getInt() : 2,
                               byTma ? wg::Swizzle::Sw128 : wg::Swizzle::Xor)
                   .run()))
      return failure();
    return mlir::fa::checkRegisters(kernel);
  }
};
} // namespace
