// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/WgToNvvm/Roles.h"

#include "dialect/Target/GpuTarget.h"
#include "lowering/WgToNvvm/Emit.h"
#include "lowering/WgToNvvm/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::wg;

/// A turn passes from one warpgroup, which arrives, to one that waits.
static constexpr int64_t kTurnThreads = 2 * kWarpgroupThreads;

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

static void expandTurn(TurnOp turn, IRRewriter &rewriter) {
  auto role = turn->getParentOfType<RoleOp>();
  int64_t id = *role.getTurnId();
  rewriter.setInsertionPoint(turn);
  Emit emit(turn, rewriter);
  Value own = emit.warpgroup(), next = emit.add(own, 1);
  Value nextOrFirst = emit.createOrFold<arith::SelectOp>(
      emit.equal(next, role.getWarpgroups()), emit.i32(0), next);
  emit.barrierSync(emit.add(own, id), kTurnThreads);

  Block &body = turn.getBody().front();
  auto yield = cast<wg::YieldOp>(body.getTerminator());
  SmallVector<Value> results(yield.getValues());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(&body, turn);
  emit.setInsertionPoint(turn);
  emit.barrierArrive(emit.add(nextOrFirst, id), kTurnThreads);
  rewriter.replaceOp(turn, results);
}

LogicalResult mlir::wg::expandTurns(gpu::GPUFuncOp function) {
  IRRewriter rewriter(function.getContext());
  WalkResult walk = function.walk([&](RoleOp role) {
    if (!role.getPingPong() || role.getTurnId())
      return WalkResult::advance();
    role.emitOpError("expects turn_id with ping_pong, as it has from stage "
                     "'addressed' on");
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  SmallVector<TurnOp> turns;
  function.walk([&](TurnOp turn) { turns.push_back(turn); });
  for (TurnOp turn : turns)
    expandTurn(turn, rewriter);
  return success();
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

namespace {

/// Turns roles into branches, the next in the `else` of the one before, so that
/// no path leads through two of them: ptxas allots registers by path.
class RoleExpansion {
public:
  RoleExpansion(gpu::GPUFuncOp function, int64_t registersAtLaunch)
      : rewriter(function.getContext()), registersAtLaunch(registersAtLaunch) {}

  void run(ArrayRef<RoleOp> roles) {
    rewriter.setInsertionPoint(roles.front());
    Emit emit(roles.front(), rewriter);
    Value inBlock = emit.div(emit.thread(), kWarpgroupThreads);
    warpgroup = emit.uniform(inBlock);
    for (RoleOp role : roles)
      expand(role);
  }

private:
  void expand(RoleOp role) {
    rewriter.setInsertionPoint(role);
    Emit emit(role, rewriter);
    Value mine = emit.less(warpgroup, role.getLast());
    if (role.getFirst() != 0)
      mine = arith::AndIOp::create(
          emit,
          arith::CmpIOp::create(emit, arith::CmpIPredicate::sge, warpgroup,
                                emit.i32(role.getFirst())),
          mine);
    auto branch = scf::IfOp::create(emit, mine, /*withElseRegion=*/true);
    // The roles behind it are for those that have no part in it.
    Operation *end = branch.elseBlock()->getTerminator();
    while (auto next = dyn_cast_or_null<RoleOp>(role->getNextNode()))
      rewriter.moveOpBefore(next, end);
    emit.setInsertionPointToStart(branch.thenBlock());
    fill(emit, role, branch);
    rewriter.eraseOp(role);
  }

  /// What the role's warpgroups do, at `emit`'s place.
  void fill(Emit &emit, RoleOp role, scf::IfOp branch) {
    bool more = int64_t(role.getRegisters()) > registersAtLaunch;
    NVVM::SetMaxRegisterOp::create(emit, role.getRegisters(),
                                   more ? NVVM::SetMaxRegisterAction::increase
                                        : NVVM::SetMaxRegisterAction::decrease);
    Value own = emit.add(warpgroup, -int64_t(role.getFirst()));
    Operation *end = branch.thenBlock()->getTerminator();
    if (role.getSingleThread()) {
      Value first =
          emit.equal(emit.thread(), role.getFirst() * kWarpgroupThreads);
      auto guard = scf::IfOp::create(emit, first, /*withElseRegion=*/false);
      end = guard.thenBlock()->getTerminator();
    }
    if (role.getPingPong())
      atTurns(emit, role, emit.equal(own, role.getWarpgroups() - 1),
              [&](Value id) { emit.barrierArrive(id, kTurnThreads); });
    emit.setInsertionPoint(end);
    // What is no news to anybody but the range analysis of masks.
    Value bounded =
        arith::MinUIOp::create(emit, own, emit.i32(role.getWarpgroups() - 1));
    Value index = emit.toIndex(bounded);
    Block &body = role.getBody().front();
    rewriter.eraseOp(body.getTerminator());
    rewriter.inlineBlockBefore(&body, end, index);
    if (role.getPingPong())
      atTurns(emit, role, emit.equal(own, 0),
              [&](Value id) { emit.barrierSync(id, kTurnThreads); });
  }

  /// One warpgroup's part in starting or ending the turns.
  static void atTurns(Emit &emit, RoleOp role, Value condition,
                      function_ref<void(Value)> body) {
    auto guard = scf::IfOp::create(emit, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard restore(emit);
    emit.setInsertionPointToStart(guard.thenBlock());
    body(emit.i32(*role.getTurnId()));
  }

  IRRewriter rewriter;
  int64_t registersAtLaunch;
  Value warpgroup;
};

} // namespace

/// Registers of a thread at launch where one block has the SM for itself.
static FailureOr<int64_t> registersAtLaunch(RoleOp role) {
  auto function = role->getParentOfType<gpu::GPUFuncOp>();
  auto chip = function->getParentOp()->getAttrOfType<StringAttr>("fa.target");
  const ::fa::target::GpuTarget *facts =
      chip ? ::fa::target::findGpuTarget(chip.getValue()) : nullptr;
  if (!facts || !facts->hasWgmma)
    return function.emitOpError() << "has roles, which expect the module's "
                                     "attribute 'fa.target' to be "
                                     "sm_90a";
  constexpr int64_t kGranule = 8;
  int64_t each = facts->registersPerSm / threadsOf(role);
  return std::min(each, facts->registersPerThread) / kGranule * kGranule;
}

LogicalResult mlir::wg::expandRoles(gpu::GPUFuncOp function) {
  SmallVector<RoleOp> roles;
  function.walk([&](RoleOp role) { roles.push_back(role); });
  if (roles.empty())
    return success();
  FailureOr<int64_t> registers = registersAtLaunch(roles.front());
  if (failed(registers))
    return failure();
  RoleExpansion(function, *registers).run(roles);
  // Without this bound ptxas does not know the registers at launch, and drops
  // setmaxnreg.
  if (!function->hasAttr(mlir::fa::kMinBlocksAttr))
    function->setAttr(mlir::fa::kMinBlocksAttr,
                      Builder(function.getContext()).getI32IntegerAttr(1));
  return success();
}
