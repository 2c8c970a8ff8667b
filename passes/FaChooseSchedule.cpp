// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Passes.h"
#include "passes/ScheduleQuery.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FACHOOSESCHEDULE
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

/// The first field that `text` names for the second time, "" where none is.
static StringRef findRepeated(StringRef text) {
  StringSet<> seen;
  for (StringRef field : llvm::split(text, ','))
    if (StringRef name = field.split('=').first.trim();
        !seen.insert(name).second)
      return name;
  return {};
}

/// `base` with those of its fields replaced that `text` names, spelled as the
/// attribute spells them; null, with a diagnostic, where it is no such text.
static ScheduleAttr withFields(ScheduleAttr base, StringRef text) {
  std::string printed;
  llvm::raw_string_ostream(printed) << base;
  StringRef known = printed;
  known.consume_front("#fa.schedule<");
  known.consume_back(">");
  llvm::MapVector<StringRef, StringRef> fields;
  for (StringRef list : {known, text})
    for (StringRef field : llvm::split(list, ',')) {
      auto [name, value] = field.split('=');
      fields[name.trim()] = value.trim();
    }
  std::string made = "#fa.schedule<";
  for (auto [i, field] : llvm::enumerate(fields))
    made += ((i ? ", " : "") + field.first + " = " + field.second).str();
  return dyn_cast_or_null<ScheduleAttr>(
      parseAttribute(made + ">", base.getContext()));
}

/// Whether `region` reads memory at a place that depends on the key.
static bool readsEachElement(Region &region) {
  if (region.empty())
    return false;
  // The last argument, of every region, is the key's number.
  DenseSet<Value> perKey{region.getArguments().back()};
  for (Operation &op : region.front()) {
    bool depends = llvm::any_of(
        op.getOperands(), [&](Value value) { return perKey.contains(value); });
    if (depends && isa<memref::LoadOp, tensor::ExtractOp>(op))
      return true;
    if (depends)
      perKey.insert(op.result_begin(), op.result_end());
  }
  return false;
}

static bool hasRegion(AttentionOp op) {
  return op.hasScoreRegion() || op.hasKeepRegion();
}

static ::fa::target::Needs findNeeds(AttentionOp op) {
  using ::fa::target::Needs;
  if (readsEachElement(op.getScore()) || readsEachElement(op.getKeep()))
    return Needs::RegionThatReads;
  if (hasRegion(op))
    return Needs::Region;
  if (op.getQLengths())
    return Needs::RowLengths;
  return op.isPacked() ? Needs::Packed : Needs::Nothing;
}

/// Whether each query tile has keys, which is known: there is no branch then
/// for those that have none, by which wg-overlap-tiles tells the first product.
static bool alwaysHasKeys(AttentionOp op) {
  return op.getMaskOrDefault().keepsAll() && !op.isPacked() &&
         !op.getKvLengths() &&
         !ShapedType::isDynamic(op.getKType().getDimSize(op.getSeqDim()));
}

namespace {
struct ChooseSchedulePass
    : mlir::fa::impl::FaChooseScheduleBase<ChooseSchedulePass> {
  using FaChooseScheduleBase::FaChooseScheduleBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!::fa::target::knowsChip(chip)) {
      module.emitError()
          << "expects a chip that the schedule table has rows for ("
          << ::fa::target::knownChips() << "), got '" << chip << "'";
      return signalPassFailure();
    }
    if (!mask.empty() && !symbolizeMaskStyle(mask)) {
      module.emitError() << "expects mask every, guard or split, got '" << mask
                         << "'";
      return signalPassFailure();
    }
    SmallVector<AttentionOp> ops;
    module.walk([&](AttentionOp op) { ops.push_back(op); });
    for (AttentionOp op : ops)
      if (failed(choose(op)))
        return signalPassFailure();
  }

private:
  /// A right bound makes later query tiles longer: they go first, so that the
  /// short ones fill the end. A left bound as well levels the lengths of most;
  /// those that it does not reach are the short ones.
  static TileOrder orderFor(AttentionOp op) {
    return op.getMaskOrDefault().getRightBound() ? TileOrder::HeaviestFirst
                                                 : TileOrder::Natural;
  }

  /// Three warpgroups have no registers left for the store by TMA where regions
  /// need some (ptxas spilled 3 to 58 words), but in rows for regions.
  static bool storesByTma(AttentionOp op,
                          const ::fa::target::ScheduleRow &row) {
    constexpr int64_t kWarpsOfTwo = 8;
    return row.tmaStore &&
           (row.warps <= kWarpsOfTwo || row.region || !hasRegion(op));
  }

  /// Where regions need registers, none are left for columns of Q.
  static int64_t queriesToHold(AttentionOp op,
                               const ::fa::target::ScheduleRow &row) {
    return hasRegion(op) ? 0 : row.qRegisters;
  }

  /// A warp of a GPU takes whole instruction tiles of 16 rows.
  LogicalResult checkWarps(AttentionOp op, ScheduleAttr schedule) {
    int64_t rows = 16 * schedule.getWarps();
    if (chip == "cpu" || schedule.getQueryTile() % rows == 0)
      return success();
    return op.emitOpError()
           << "has an unusable schedule: query_tile " << schedule.getQueryTile()
           << " is no multiple of 16 * warps = " << rows;
  }

  LogicalResult choose(AttentionOp op) {
    std::vector<::fa::target::ScheduleRow> rows =
        ::fa::target::chooseSchedules(scheduleQuery(op, chip));
    if (rows.empty())
      return op.emitOpError()
             << "has no row in the schedule table for " << chip << ", Dqk "
             << op.getQkDim() << ", Dv " << op.getVDim();
    SmallVector<Attribute> versions;
    std::optional<ScheduleAttr> given = op.getSchedule();
    if (given || overrules()) {
      // What is asked for, and what takes the tensors that it cannot load. Of
      // rows that take any launch the first is overruled, but for one that has
      // another one's place for many keys.
      auto any = llvm::find_if(rows, [&](const auto &row) {
        return row.mostKeys == 0 && row.tma == rows[0].tma &&
               !(row.tma && row.wide);
      });
      if (any == rows.end())
        any = rows.begin();
      ScheduleAttr schedule = overrule(op, given ? *given : read(op, *any));
      if (!schedule || failed(checkWarps(op, schedule)))
        return failure();
      bool tma = rows[0].tma && fitsWgmma(op, schedule);
      bool wide = !given && any->wide && !tma;
      versions.push_back(VersionAttr::get(op.getContext(), schedule, tma,
                                          /*most_keys=*/0, wide));
      if (tma || wide)
        versions.push_back(version(op, rows.back()));
    } else {
      for (const ::fa::target::ScheduleRow &row : rows)
        versions.push_back(version(op, row));
    }
    if (chip == "sm_90a" && !cast<VersionAttr>(versions[0]).getTma())
      op.emitRemark()
          << "takes the slower kernels of sm_80: those with TMA and "
             "wgmma are for head dims that are multiples of 16, and "
             "for tiles of 64 rows a warpgroup";
    op.setScheduleAttr(cast<VersionAttr>(versions[0]).getSchedule());
    if (versions.size() > 1)
      op->setAttr(kVersionsAttr, ArrayAttr::get(op.getContext(), versions));
    return success();
  }

  bool overrules() const {
    return queryTile || keyTile || warps || stages || !mask.empty() ||
           !fields.empty();
  }

  static bool fitsWgmma(AttentionOp op, ScheduleAttr schedule) {
    return ::fa::target::fitsWgmma(schedule.getQueryTile(),
                                   schedule.getKeyTile(), schedule.getWarps(),
                                   op.getQkDim(), op.getVDim());
  }

  VersionAttr version(AttentionOp op,
                      const ::fa::target::ScheduleRow &row) const {
    return VersionAttr::get(op.getContext(), read(op, row), row.tma,
                            row.mostKeys, row.wide && !row.tma);
  }

  ScheduleAttr read(AttentionOp op,
                    const ::fa::target::ScheduleRow &row) const {
    int64_t keys = ::fa::target::keyTileWith(findNeeds(op), row, chip);
    return ScheduleAttr::get(
        op.getContext(), row.queryTile, keys, row.warps, row.stages,
        static_cast<MaskStyle>(row.mask), orderFor(op),
        row.backward ? KeyOrder::Backward : KeyOrder::Forward, row.qBuffers,
        row.rotate, row.threshold, row.vWait, row.pingPong,
        static_cast<Grid>(row.grid), storesByTma(op, row), row.headGroup,
        row.overlapTiles && !alwaysHasKeys(op), queriesToHold(op, row));
  }

  /// `base` with the options' fields; null, with an error, where that is none.
  ScheduleAttr overrule(AttentionOp op, ScheduleAttr base) {
    auto pick = [](int64_t option, int64_t field) {
      return option ? option : field;
    };
    ScheduleAttr chosen = ScheduleAttr::getChecked(
        [&] { return op.emitOpError() << "has an unusable schedule: "; },
        op.getContext(), pick(queryTile, base.getQueryTile()),
        pick(keyTile, base.getKeyTile()), pick(warps, base.getWarps()),
        pick(stages, base.getStages()),
        mask.empty() ? base.getMask() : *symbolizeMaskStyle(mask),
        base.getOrder(), base.getWalk(), base.getQBuffers(), base.getRotate(),
        base.getThreshold(), base.getVWait(), base.getPingPong(),
        base.getGrid(), base.getTmaStore(), base.getHeadGroup(),
        base.getOverlapTiles(), base.getQRegisters());
    if (!chosen || fields.empty())
      return chosen;
    if (StringRef name = findRepeated(fields); !name.empty()) {
      op.emitOpError() << "expects each field of the schedule once, got '"
                       << name << "' again in '" << fields << "'";
      return {};
    }
    ScheduleAttr made = withFields(chosen, fields);
    if (!made)
      op.emitOpError() << "expects fields of #fa.schedule, got '" << fields
                       << "'";
    return made;
  }
};
} // namespace
