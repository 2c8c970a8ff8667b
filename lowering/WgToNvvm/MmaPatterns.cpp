// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wg.mma and wg.get: ldmatrix and mma.sync.
#include "lowering/WgToNvvm/Patterns.h"
#include "lowering/WgToNvvm/SharedTile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::wg;
using ::fa::target::GroupLayout;
using ::fa::target::kAccM16N8;
using ::fa::target::kAM16K16;

namespace {

/// ldmatrix moves 8x8 matrices of 16-bit elements: 8 rows of one chunk.
constexpr int64_t kMatrix = 8;

/// How the matrices of one ldmatrix lie in the tile.
struct Block {
  int64_t rowMatrices;
  int64_t chunkMatrices;
  int64_t matrices() const { return rowMatrices * chunkMatrices; }
};

/// Reads operands of products from one shared tile.
class MatrixReader {
public:
  /// The tile at `address`; reads count rows from `firstRow` (i32, null for 0).
  /// Of a block's matrices, the first two are neighbours along rows where
  /// `rowsFirst`, else along chunks.
  MatrixReader(Emit &emit, SmemType type, Value address, Value firstRow,
               bool rowsFirst, bool transpose)
      : emit(emit), type(type), address(address), firstRow(firstRow),
        rowsFirst(rowsFirst), transpose(transpose) {}

  /// One 32-bit register for each matrix of the block that starts at this row
  /// (a multiple of 8) and chunk.
  SmallVector<Value> read(int64_t row, int64_t chunk, Block block) {
    Value pointer = walkOf(block).pointer(row, chunk);
    int64_t count = block.matrices();
    SmallVector<Type> types(count, emit.getI32Type());
    Type result =
        count == 1
            ? types[0]
            : Type(LLVM::LLVMStructType::getLiteral(emit.getContext(), types));
    MLIRContext *context = emit.getContext();
    Value loaded = NVVM::LdMatrixOp::create(
        emit, result, pointer, emit.getI32IntegerAttr(count),
        NVVM::MMALayoutAttr::get(context, transpose ? NVVM::MMALayout::col
                                                    : NVVM::MMALayout::row),
        NVVM::LdStMatrixShapeAttr::get(context, kMatrix, kMatrix),
        NVVM::LdStMatrixEltTypeAttr::get(context,
                                         NVVM::LdStMatrixEltType::B16));
    if (count == 1)
      return {loaded};
    SmallVector<Value> registers;
    for (int64_t i = 0; i < count; ++i)
      registers.push_back(LLVM::ExtractValueOp::create(emit, loaded, i));
    return registers;
  }

private:
  /// Lanes 8i to 8i + 7 address the rows of the block's matrix i.
  SharedTile &walkOf(Block block) {
    std::optional<SharedTile> &walk =
        walks[block.rowMatrices - 1][block.chunkMatrices - 1];
    if (walk)
      return *walk;
    Value lane = emit.lane();
    Value matrix = emit.div(lane, kMatrix);
    Value bits[] = {emit.rem(matrix, 2), emit.rem(emit.div(matrix, 2), 2)};
    bool both = block.matrices() == 4;
    Value rowBit =
        block.rowMatrices == 1 ? emit.i32(0) : bits[both && !rowsFirst];
    Value chunkBit =
        block.chunkMatrices == 1 ? emit.i32(0) : bits[both && rowsFirst];
    Value row = emit.add(emit.rem(lane, kMatrix), emit.mul(rowBit, kMatrix));
    if (firstRow)
      row = emit.add(firstRow, row);
    walk.emplace(emit, type, address, row, chunkBit);
    return *walk;
  }

  Emit &emit;
  SmemType type;
  Value address;
  Value firstRow;
  bool rowsFirst;
  bool transpose;
  std::optional<SharedTile> walks[2][2];
};

/// One step of the k loop: 16, or the 8 that are left of an odd width.
struct KStep {
  int64_t first;
  int64_t size;
  int64_t matrices() const { return size / kMatrix; }
};

/// The A operand, `type`: registers of each of a group's 16-row blocks for a k
/// step.
class OperandA {
public:
  OperandA(Emit &emit, Type type, const GroupLayout &group,
           ValueRange registers)
      : blockRegisters(group.rowBlocks()) {
    if (auto tile = dyn_cast<SmemType>(type)) {
      Value firstRow = emit.mul(emit.warp(), group.rowsPerWarp());
      reader.emplace(emit, tile, registers.front(), firstRow,
                     /*rowsFirst=*/true, /*transpose=*/false);
      return;
    }
    size_t perBlock = registers.size() / blockRegisters.size();
    for (auto [i, block] : llvm::enumerate(blockRegisters))
      block = llvm::to_vector(registers.slice(i * perBlock, perBlock));
  }

  SmallVector<Value> get(int64_t block, KStep step) {
    if (reader)
      return reader->read(block * kAccM16N8.rows, step.first / kMatrix,
                          {kAccM16N8.rows / kMatrix, step.matrices()});
    // A register holds two elements of a lane, one of every 16 x 4 elements.
    size_t first = step.first / 4, count = step.size / 4;
    return llvm::to_vector(ArrayRef(blockRegisters[block]).slice(first, count));
  }

private:
  std::optional<MatrixReader> reader;
  SmallVector<SmallVector<Value>> blockRegisters;
};

/// The B operand, always from shared memory: [N, K] as it lies (`transpose_b`),
/// or [K, N] through the transposing ldmatrix.
class OperandB {
public:
  OperandB(Emit &emit, MmaOp op, Value address)
      : alongRows(op.getTransposeB()),
        reader(emit, op.getB().getType(), address, /*firstRow=*/Value(),
               /*rowsFirst=*/!op.getTransposeB(),
               /*transpose=*/!op.getTransposeB()) {}

  /// For `tiles` n8 tiles from tile `n` on: for each, the registers along k.
  SmallVector<Value> get(int64_t n, int64_t tiles, KStep step) {
    if (alongRows)
      return reader.read(n * kMatrix, step.first / kMatrix,
                         {tiles, step.matrices()});
    return reader.read(step.first, n, {step.matrices(), tiles});
  }

private:
  bool alongRows;
  MatrixReader reader;
};

class MmaLowering : public OpConversionPattern<MmaOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    GroupLayout group = op.getC().getType().getGroupLayout();
    // ptxas would read B's tile while A's values are made, and spill or shuffle
    // accumulators to do so. With a block of its own the product starts later,
    // which costs up to 5 % where there is room.
    constexpr int64_t kNoRoom = 192; // of 255
    if (registersBesideProduct(op) >= kNoRoom)
      emit.newBlock();
    OperandA a(emit, op.getA().getType(), group, adaptor.getA());
    OperandB b(emit, op, adaptor.getB().front());
    SmallVector<Value> c(adaptor.getC());

    int64_t k = op.getTransposeB() ? op.getB().getType().getCols()
                                   : op.getB().getType().getRows();
    for (int64_t first = 0; first < k; first += kAM16K16.cols)
      multiplyStep(emit, op, group, a, b, c,
                   {first, std::min(kAM16K16.cols, k - first)});
    rewriter.replaceOpWithMultiple(op, {c});
    return success();
  }

private:
  /// Adds the products of one k step to the accumulator's registers `c`.
  void multiplyStep(Emit &emit, MmaOp op, const GroupLayout &group, OperandA &a,
                    OperandB &b, MutableArrayRef<Value> c, KStep step) const {
    SmallVector<SmallVector<Value>> aRegisters;
    for (int64_t block = 0; block < group.rowBlocks(); ++block)
      aRegisters.push_back(a.get(block, step));

    int64_t tiles = group.cols / kAccM16N8.cols;
    for (int64_t n = 0; n < tiles; n += 2) {
      int64_t count = std::min<int64_t>(2, tiles - n);
      SmallVector<Value> bRegisters = b.get(n, count, step);
      for (int64_t tile = 0; tile < count; ++tile)
        for (int64_t block = 0; block < group.rowBlocks(); ++block)
          multiply(emit, op.getB().getType().getElementType(), step.size,
                   aRegisters[block],
                   ArrayRef(bRegisters)
                       .slice(tile * step.matrices(), step.matrices()),
                   c.slice(block * group.regsPerBlock() +
                               (n + tile) * kAccM16N8.regs(),
                           kAccM16N8.regs()));
    }
  }

  /// c += a * b with one mma.sync.
  void multiply(Emit &emit, Type elementType, int64_t k, ArrayRef<Value> a,
                ArrayRef<Value> b, MutableArrayRef<Value> c) const {
    bool isF16 = elementType.isF16();
    auto typed = [&](ArrayRef<Value> registers) {
      SmallVector<Value> result(registers);
      if (isF16) // the op wants bf16 pairs as i32, f16 pairs as vectors
        for (Value &value : result)
          value = LLVM::BitcastOp::create(emit, VectorType::get(2, elementType),
                                          value);
      return result;
    };
    NVVM::MMATypes type = isF16 ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
    Type result = LLVM::LLVMStructType::getLiteral(
        emit.getContext(), SmallVector<Type>(c.size(), emit.getF32Type()));
    Value product = NVVM::MmaOp::create(
        emit, result, typed(a), typed(b), c,
        {kAccM16N8.rows, kAccM16N8.cols, k}, std::nullopt, std::nullopt,
        std::array{type, type},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [i, value] : llvm::enumerate(c))
      value = LLVM::ExtractValueOp::create(emit, product, i);
  }
};

/// Tiles in registers, as the product would read them.
class GetLowering : public OpConversionPattern<GetOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GetOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emit emit(op, rewriter);
    FragType frag = op.getResult().getType();
    GroupLayout group = frag.getGroupLayout();
    OperandA a(emit, op.getTile().getType(), group, adaptor.getTile());
    SmallVector<Value> registers;
    for (int64_t block = 0; block < group.rowBlocks(); ++block)
      for (int64_t first = 0; first < frag.getCols(); first += kAM16K16.cols)
        llvm::append_range(registers, a.get(block, {first, kAM16K16.cols}));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

} // namespace

int64_t mlir::wg::registersBesideProduct(MmaOp op) {
  auto a = dyn_cast<FragType>(op.getA().getType());
  // A's values as f32, then two to a register.
  return a ? op.getC().getType().getRegs() + a.getRegs() + a.getRegs() / 2 : 0;
}

void mlir::wg::populateMmaPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<MmaLowering, GetLowering>(converter, patterns.getContext());
}
