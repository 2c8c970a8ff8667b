// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A slot of a ring with mbarriers: where its tile and its barriers are.
#ifndef FA_LOWERING_WGTONVVM_RING_H
#define FA_LOWERING_WGTONVVM_RING_H

#include "lowering/WgToNvvm/Emit.h"

namespace mlir::wg {

inline constexpr int64_t kMbarrierBytes = 8;

/// The slot at which a cursor stands. A ring is the i32 addresses of its tiles
/// and of its barriers (the full ones, then the empty ones); a cursor the
/// number of a slot and the parity of the phase that the next wait there is
/// for.
class Slot {
public:
  Slot(Emit &emit, RingType type, ValueRange ring, ValueRange cursor);

  /// Addresses.
  Value tile();
  Value full();
  Value empty();

  /// Waits until `barrier` has ended the cursor's phase.
  void wait(Value barrier);
  /// The group's elected thread arrives on `barrier`.
  void arriveElected(Value barrier);

private:
  Emit &emit;
  RingType type;
  Value tiles;
  Value barriers;
  Value index;
  Value parity;
};

} // namespace mlir::wg

#endif // FA_LOWERING_WGTONVVM_RING_H
