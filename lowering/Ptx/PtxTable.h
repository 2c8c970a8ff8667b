// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every piece of PTX that this project writes by hand, one row each. What LLVM
// has an intrinsic for is not here: intrinsics tell the optimiser more.
#ifndef FA_LOWERING_PTX_PTXTABLE_H
#define FA_LOWERING_PTX_PTXTABLE_H

#include "llvm/ADT/StringRef.h"

namespace mlir::fa::ptx {

/// One instruction (or a few that belong together) as inline assembly.
struct Row {
  llvm::StringLiteral text;
  /// LLVM constraint codes: outputs first, then inputs.
  llvm::StringLiteral constraints;
  /// Reads or writes memory, or has another reason to be neither merged nor
  /// removed and to keep its place among the accesses to memory.
  bool sideEffects;
  /// All threads of a warp must execute it together, so no copy of it may move
  /// into or out of a branch.
  bool convergent;
  /// The first PTX version that has it: major * 10 + minor.
  int ptxVersion;
};

/// cp.async of 16 bytes past L1, of which the first $2 (0 to 16) are read and
/// the rest become zeros. The hint makes L2 fetch the whole 128-byte line,
/// which the neighbouring threads ask for anyway.
inline constexpr Row kCpAsync16 = {
    "cp.async.cg.shared.global.L2::128B [$0], [$1], 16, $2;", "r,l,r",
    /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/74};

/// The same for what is aligned to 8 or 4 bytes only; it goes through L1.
inline constexpr Row kCpAsync8 = {
    "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,r",
    /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/70};
inline constexpr Row kCpAsync4 = {
    "cp.async.ca.shared.global [$0], [$1], 4, $2;", "r,l,r",
    /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/70};

/// The thread's number, read where it stands: what is computed from it is then
/// computed again in each round of a loop. A kernel whose accumulators fill the
/// registers would otherwise spill to keep a few addresses.
inline constexpr Row kThreadHere = {"mov.u32 $0, %tid.x;", "=r",
                                    /*sideEffects=*/true, /*convergent=*/false,
                                    /*ptxVersion=*/70};

/// 0, which ptxas cannot tell: no kernel here runs without dynamic shared
/// memory, but only we know that. Where it is added to a number that has been
/// read before, what follows is computed anew; reads alone, and what is
/// computed from them, ptxas merges, also over loops.
inline constexpr Row kUnknownZero = {"{\n"
                                     ".reg .pred never;\n"
                                     ".reg .b32 bytes;\n"
                                     "mov.u32 bytes, %dynamic_smem_size;\n"
                                     "setp.eq.b32 never, bytes, 0;\n"
                                     "selp.b32 $0, 1, 0, never;\n"
                                     "}",
                                     "=r", /*sideEffects=*/true,
                                     /*convergent=*/false, /*ptxVersion=*/70};

/// Begins a basic block for ptxas, which moves nothing over a branch that it
/// cannot prove away: no kernel here runs without dynamic shared memory, but
/// only we know that. The fence is harmless and, unlike lighter things, not
/// turned into a predicated instruction.
inline constexpr Row kNewBlock = {"{\n"
                                  ".reg .pred always;\n"
                                  ".reg .b32 bytes;\n"
                                  "mov.u32 bytes, %dynamic_smem_size;\n"
                                  "setp.ne.b32 always, bytes, 0;\n"
                                  "@always bra.uni LBLOCK${:uid};\n"
                                  "membar.cta;\n"
                                  "LBLOCK${:uid}:\n"
                                  "}",
                                  "", /*sideEffects=*/true, /*convergent=*/true,
                                  /*ptxVersion=*/70};

// mbarriers in the block's shared memory; addresses are 32 bits.

/// The barrier at $0 counts $1 arrivals a phase.
inline constexpr Row kMbarrierInit = {
    "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r",
    /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/80};

/// Returns when the phase of parity $1 is over. The test that fails suspends
/// the thread for a while by itself, so the loop does not spin. ptxas moves
/// nothing over the branch, and puts the second and later tests out of the way.
inline constexpr Row kMbarrierWait = {
    "{\n"
    ".reg .pred done;\n"
    "LWAIT${:uid}:\n"
    "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n"
    "@done bra.uni LDONE${:uid};\n"
    "bra.uni LWAIT${:uid};\n"
    "LDONE${:uid}:\n"
    "}",
    "r,r", /*sideEffects=*/true, /*convergent=*/true, /*ptxVersion=*/80};

/// One arrival; the second form only where $1 is not 0.
inline constexpr Row kMbarrierArrive = {
    "mbarrier.arrive.shared::cta.b64 _, [$0];", "r",
    /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/80};
inline constexpr Row kMbarrierArriveIf = {
    "{\n"
    ".reg .pred mine;\n"
    "setp.ne.b32 mine, $1, 0;\n"
    "@mine mbarrier.arrive.shared::cta.b64 _, [$0];\n"
    "}",
    "r,r", /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/80};

/// One arrival that announces $1 bytes: the phase ends when they have come.
inline constexpr Row kMbarrierExpect = {
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r",
    /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/80};

/// Initialised barriers become visible to TMA, behind a block barrier.
inline constexpr Row kFenceMbarrierInit = {
    "fence.mbarrier_init.release.cluster;", "",
    /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/80};

/// This thread's ordinary writes to shared memory become visible to TMA and
/// wgmma.
inline constexpr Row kFenceProxyAsync = {"fence.proxy.async.shared::cta;", "",
                                         /*sideEffects=*/true,
                                         /*convergent=*/false,
                                         /*ptxVersion=*/80};

// TMA, by the tensor's rank. A box of the tensor whose map is at $1, to shared
// memory at $0; coordinates from the innermost dimension on, last the mbarrier
// that counts the bytes. `.shared::cta` rather than `.shared::cluster`: for the
// latter some versions of ptxas add a call to code outside of the kernel, which
// makes them ignore setmaxnreg and serialise wgmma.
inline constexpr Row kTmaLoad2 = {
    "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "
    "[$0], [$1, {$2, $3}], [$4];",
    "r,l,r,r,r", /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/86};
inline constexpr Row kTmaLoad3 = {
    "cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes "
    "[$0], [$1, {$2, $3, $4}], [$5];",
    "r,l,r,r,r,r", /*sideEffects=*/true, /*convergent=*/false,
    /*ptxVersion=*/86};
inline constexpr Row kTmaLoad4 = {
    "cp.async.bulk.tensor.4d.shared::cta.global.mbarrier::complete_tx::bytes "
    "[$0], [$1, {$2, $3, $4, $5}], [$6];",
    "r,l,r,r,r,r,r", /*sideEffects=*/true, /*convergent=*/false,
    /*ptxVersion=*/86};
inline constexpr Row kTmaLoad5 = {
    "cp.async.bulk.tensor.5d.shared::cta.global.mbarrier::complete_tx::bytes "
    "[$0], [$1, {$2, $3, $4, $5, $6}], [$7];",
    "r,l,r,r,r,r,r,r",
    /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/86};

/// The reverse, as part of the thread's bulk group.
inline constexpr Row kTmaStore2 = {
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
    "[$1, {$2, $3}], [$0];",
    "r,l,r,r", /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/80};
inline constexpr Row kTmaStore3 = {
    "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group "
    "[$1, {$2, $3, $4}], [$0];",
    "r,l,r,r,r", /*sideEffects=*/true, /*convergent=*/false, /*ptxVersion=*/80};
inline constexpr Row kTmaStore4 = {
    "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group "
    "[$1, {$2, $3, $4, $5}], [$0];",
    "r,l,r,r,r,r", /*sideEffects=*/true, /*convergent=*/false,
    /*ptxVersion=*/80};
inline constexpr Row kTmaStore5 = {
    "cp.async.bulk.tensor.5d.global.shared::cta.bulk_group "
    "[$1, {$2, $3, $4, $5, $6}], [$0];",
    "r,l,r,r,r,r,r", /*sideEffects=*/true, /*convergent=*/false,
    /*ptxVersion=*/80};

/// The rows of TMA for a tensor's rank, 2 to 5.
inline constexpr int kTmaFirstRank = 2;
inline constexpr const Row *kTmaLoads[] = {&kTmaLoad2, &kTmaLoad3, &kTmaLoad4,
                                           &kTmaLoad5};
inline constexpr const Row *kTmaStores[] = {&kTmaStore2, &kTmaStore3,
                                            &kTmaStore4, &kTmaStore5};

inline constexpr const Row *kRows[] = {
    &kCpAsync16,        &kCpAsync8,       &kCpAsync4,
    &kThreadHere,       &kUnknownZero,    &kNewBlock,
    &kMbarrierInit,     &kMbarrierWait,   &kMbarrierArrive,
    &kMbarrierArriveIf, &kMbarrierExpect, &kFenceMbarrierInit,
    &kFenceProxyAsync,  &kTmaLoad2,       &kTmaLoad3,
    &kTmaLoad4,         &kTmaLoad5,       &kTmaStore2,
    &kTmaStore3,        &kTmaStore4,      &kTmaStore5};

/// The row with this text, null for text that is not from this table.
inline const Row *findRow(llvm::StringRef text) {
  for (const Row *row : kRows)
    if (row->text == text)
      return row;
  return nullptr;
}

} // namespace mlir::fa::ptx

#endif // FA_LOWERING_PTX_PTXTABLE_H
