// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the patterns of this folder build their code with: 32-bit integers, the
// place of a thread in its group, and the registers that hold tiles.
#ifndef FA_LOWERING_WGTONVVM_EMIT_H
#define FA_LOWERING_WGTONVVM_EMIT_H

#include "dialect/Wg/WgOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"

namespace mlir::wg {

/// Builds folded 32-bit integer arithmetic; constants are spelled as numbers.
struct Emit : ImplicitLocOpBuilder {
  /// Builds what `op` becomes: where it is inside a role, for the threads of
  /// one warpgroup, else for those of the block.
  Emit(Operation *op, const OpBuilder &builder);

  Value i32(int64_t value);
  Value index(int64_t value);
  Value f32(double value);
  Value add(Value a, Value b);
  Value add(Value a, int64_t b);
  Value mul(Value a, int64_t b);
  Value div(Value a, int64_t b);
  Value rem(Value a, int64_t b);
  Value bitXor(Value a, Value b);
  Value bitXor(Value a, int64_t b);
  Value less(Value a, Value b);
  Value less(Value a, int64_t b);
  Value equal(Value a, int64_t b);
  /// The index of a 32-bit integer that is not negative.
  Value toIndex(Value a);
  /// The low 32 bits of an index.
  Value toI32(Value index);

  /// Number of the thread in its group, and its parts.
  Value thread();
  /// The same, to be computed with again at each use: for addresses that a loop
  /// uses once a round.
  Value threadHere();
  Value lane();
  Value warp();
  /// Lane / 4: the row that a lane holds of every 8 rows of an accumulator.
  Value quad();
  /// Lane % 4: a lane's place in its quad.
  Value inQuad();

  /// Whether what is built here is inside a role.
  bool isInRole() { return static_cast<bool>(role); }
  /// Whether one thread alone executes it.
  bool actsAlone() { return role && role.getSingleThread(); }
  /// Whether this is the one thread that acts for its group (i1).
  Value elected();
  /// Whether it is the first lane of its warp (i1).
  Value firstLane();
  /// Number of the warpgroup in its role (i32): the same in a whole warp, and
  /// known to be.
  Value warpgroup();

  /// Keeps ptxas from moving instructions from one side to the other.
  void newBlock();

  /// Pointer to shared memory at byte `address` (i32) plus `offset`.
  Value sharedPtr(Value address, int64_t offset);
  /// Pointer to global memory at byte `address` (i64) plus `offset`.
  Value globalPtr(Value address, int64_t offset);
  /// The value that the lane whose number differs in `mask` holds.
  Value shuffleXor(Value value, int64_t mask);
  /// The value of lane 0, which is that of all lanes: ptxas then knows it.
  Value uniform(Value value);
  /// Waits on the named barrier `id` (i32) for `threads` threads in all, or
  /// counts as one of them without waiting.
  void barrierSync(Value id, int64_t threads);
  void barrierArrive(Value id, int64_t threads);

private:
  template <typename Op> Value fold(Value a, Value b);
  Value pointer(Value address, int64_t offset, unsigned space);
  Value shuffle(Value value, int64_t lane, bool exclusiveOr);

  RoleOp role;
};

/// Threads of a warpgroup.
inline constexpr int64_t kWarpgroupThreads = 128;
/// Threads of the group that executes `op`: a warpgroup inside a role, else the
/// block, whose size is the `known_block_size` of its gpu.func, which the pass
/// has checked.
int64_t threadsOf(Operation *op);

/// Registers. An f32 element takes an f32 value; 16-bit elements 2i and 2i + 1
/// share an i32, the even one in its low half, as PTX has it.
SmallVector<Type> registerTypes(FragType type);
SmallVector<Type> registerTypes(RowsType type);
/// 32-bit registers that hold `elements` of a lane.
int64_t registersOf(Type elementType, int64_t elements);

/// The elements that registers hold, in the order of the layout.
SmallVector<Value> unpackElements(Emit &emit, Type elementType,
                                  ValueRange registers);
/// The registers that hold these elements.
SmallVector<Value> packElements(Emit &emit, Type elementType,
                                ValueRange elements);

} // namespace mlir::wg

#endif // FA_LOWERING_WGTONVVM_EMIT_H
