// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Report.h"

#include "dialect/Fa/FaDialect.h"
#include "dialect/Target/Roofline.h"
#include "lowering/TileCount.h"
#include "passes/ManifestBuilder.h"
#include "passes/ScheduleQuery.h"
#include "passes/Stage.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

using Rows = std::vector<::fa::target::ScheduleRow>;

/// The row of the table that a version of the op was made from.
static const ::fa::target::ScheduleRow *rowOf(AttentionOp version,
                                              const Rows &rows) {
  Operation *entry = version->getParentOp();
  auto found = llvm::find_if(rows, [&](const auto &row) {
    return row.tma == entry->hasAttr(kTmaAttr) &&
           row.wide == entry->hasAttr(kWideAttr);
  });
  return found == rows.end() ? nullptr : &*found;
}

/// Where the schedules come from; `op` has the first of them.
static std::string explainSchedule(AttentionOp op, bool given, const Rows &rows,
                                   const CompileOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (given)
    os << "the op's own attribute";
  else if (const ::fa::target::ScheduleRow *row = rowOf(op, rows))
    os << "the table's row" << (rows.size() > 1 ? "s" : "") << " for "
       << row->chip << ", Dqk <= " << row->maxQkDim
       << ", Dv <= " << row->maxVDim << ", multiples of " << row->dimMultiple;
  auto overruled = [&](StringRef name, const auto &value) {
    if (value != std::decay_t<decltype(value)>())
      os << "; --" << name << "=" << value;
  };
  overruled("query-tile", options.queryTile);
  overruled("key-tile", options.keyTile);
  overruled("warps", options.warps);
  overruled("stages", options.stages);
  overruled("mask", options.mask);
  overruled("schedule", options.schedule);
  for (const std::string &stage : options.skip)
    os << "; --skip=" << stage;
  return text;
}

/// The schedules, one for each kind of tensors that a launch may bring.
static void describeSchedules(raw_ostream &os, ArrayRef<AttentionOp> versions,
                              const Rows &rows) {
  const char *head = "schedule  ";
  for (AttentionOp version : versions) {
    Operation *entry = version->getParentOp();
    os << head << *version.getSchedule();
    if (entry->hasAttr(kTmaAttr))
      os << " where TMA takes the tensors";
    if (auto keys = entry->getAttrOfType<IntegerAttr>(kMostKeysAttr))
      os << " up to " << keys.getInt() << " keys";
    if (entry->hasAttr(kWideAttr))
      os << " where rows are aligned to 16 bytes";
    const ::fa::target::ScheduleRow *row = rowOf(version, rows);
    int64_t keys = version.getSchedule()->getKeyTile();
    if ((version.hasScoreRegion() || version.hasKeepRegion()) && row &&
        keys < row->keyTile)
      os << "; regions need registers, so " << keys << " keys a tile and not "
         << row->keyTile;
    os << "\n";
    head = "          else ";
  }
}

/// f32 registers of a thread: scores, accumulator, and in 16 bits P.
static int64_t countTileRegisters(AttentionOp op, ScheduleAttr schedule) {
  int64_t rows = schedule.getQueryTile() / schedule.getWarps();
  int64_t elements = rows * (schedule.getKeyTile() + op.getVDim()) +
                     rows * schedule.getKeyTile() / 2;
  return elements / 32;
}

static void describeMask(raw_ostream &os, AttentionOp op,
                         std::optional<TileCount> count) {
  MaskAttr mask = op.getMaskOrDefault();
  os << "mask      ";
  if (mask.keepsAll())
    os << "none";
  else
    os << mask;
  if (mask.getRightBound())
    os << "; key tiles right of its band are skipped";
  if (mask.getLeft())
    os << "; key tiles left of its band are skipped";
  if (op.hasKeepRegion())
    os << " and a region, asked for every visited tile";
  if (op.getKvLengths())
    os << "; keys past kv_lengths are skipped";
  os << "\n";
  if (!count) {
    os << "          which tiles are skipped is known at launch\n";
    return;
  }
  os << "          of " << count->all << " pairs of a query and a key tile "
     << count->visited << " are visited, " << count->masked
     << " of them with a mask\n";
}

static void describeWork(raw_ostream &os, AttentionOp op,
                         std::optional<TileCount> count, StringRef chip) {
  if (!count) {
    os << "work      " << 2 * (op.getQkDim() + op.getVDim())
       << " FLOP for each pair of a query and a key that is kept; the sizes "
          "are known at launch\n";
    return;
  }
  int64_t heads =
      op.getQType().getDimSize(op.getHeadDim()) * op.getQType().getDimSize(0);
  double flops = 2.0 * (op.getQkDim() + op.getVDim()) *
                 static_cast<double>(count->kept * heads);
  double bytes = 0;
  for (Value value : {op.getQ(), op.getK(), op.getV(), op.getOutput()}) {
    auto type = cast<ShapedType>(value.getType());
    bytes += static_cast<double>(type.getNumElements()) *
             type.getElementTypeBitWidth() / 8;
  }
  os << "work      "
     << llvm::format("%.3f GFLOP, %.3f MB", flops / 1e9, bytes / 1e6);
  if (bytes > 0)
    os << llvm::format(", %.0f FLOP a byte", flops / bytes);
  os << "\n";
  const ::fa::target::Roofline *roof = ::fa::target::findRoofline(chip.str());
  if (!roof)
    return;
  double compute = flops / roof->flops, memory = bytes / roof->bytes;
  os << "bound     " << (compute > memory ? "compute" : "memory")
     << llvm::format(": %.4f ms by arithmetic, %.4f ms by memory (",
                     compute * 1e3, memory * 1e3)
     << roof->product
     << llvm::format(": %.0f TFLOP/s, %.0f GB/s)\n", roof->flops / 1e12,
                     roof->bytes / 1e9);
}

LogicalResult CompileReport::readProblem(ModuleOp module,
                                         const CompileOptions &options) {
  llvm::raw_string_ostream os(lines);
  bool given = false;
  module.walk([&](AttentionOp op) { given |= op.getSchedule().has_value(); });
  StringRef stage = getStage(module);
  if (stage != "problem" && stage != "buffers") {
    os << "problem   not known any more at stage " << stage << "\n";
    return success();
  }
  OwningOpRef<ModuleOp> copy = module.clone();
  ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &d) {
    return success(d.getSeverity() == DiagnosticSeverity::Remark);
  });
  if (failed(compileToStage(*copy, options, "buffers")))
    return failure();
  SmallVector<AttentionOp> versions;
  copy->walk([&](AttentionOp found) { versions.push_back(found); });
  AttentionOp op = versions.front();
  const char *head = "problem   ";
  for (auto [name, type] :
       {std::pair("q", op.getQType()), std::pair("k", op.getKType()),
        std::pair("v", op.getVType())}) {
    os << head << name << " "
       << RankedTensorType::get(type.getShape(), type.getElementType()) << "\n";
    head = "          ";
  }
  if (op.getSchedule() && !options.reference) {
    Rows rows = ::fa::target::chooseSchedules(scheduleQuery(op, options.chip));
    bool isAsked = given || options.keyTile || !options.schedule.empty();
    describeSchedules(os, versions, isAsked ? Rows() : rows);
    os << "          from " << explainSchedule(op, given, rows, options)
       << "\n";
    if (options.chip != "cpu")
      for (AttentionOp version : versions)
        tileRegisters.push_back(
            {cast<SymbolOpInterface>(version->getParentOp()).getName().str(),
             countTileRegisters(version, *version.getSchedule())});
  }
  std::optional<TileCount> count = countTiles(op);
  describeMask(os, op, count);
  describeWork(os, op, count, options.chip);
  return success();
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

llvm::StringMap<PtxasKernel> mlir::fa::parsePtxas(StringRef output) {
  llvm::StringMap<PtxasKernel> kernels;
  PtxasKernel *current = nullptr;
  SmallVector<StringRef> all;
  output.split(all, '\n');
  auto numberBefore = [](StringRef line, StringRef word) {
    StringRef front = line.take_front(line.find(word)).rtrim();
    int64_t value = 0;
    (void)front.rsplit(' ').second.getAsInteger(10, value);
    return value;
  };
  for (StringRef line : all) {
    if (line.contains("Compiling entry function"))
      current = &kernels[line.split('\'').second.split('\'').first];
    if (current && line.contains("bytes spill stores"))
      current->spillBytes = numberBefore(line, "bytes spill stores");
    if (current && line.contains("Used "))
      current->registers = numberBefore(line, "registers");
  }
  return kernels;
}

/// Runs ptxas on PTX; nothing where there is none, or where it fails.
static llvm::StringMap<PtxasKernel> runPtxas(StringRef ptx, StringRef chip) {
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName("ptxas");
  SmallString<128> in, out;
  int fd;
  if (!program ||
      llvm::sys::fs::createTemporaryFile("fa-report", "ptx", fd, in))
    return {};
  llvm::scope_exit removeIn([&] { llvm::sys::fs::remove(in); });
  llvm::raw_fd_ostream stream(fd, /*shouldClose=*/true);
  stream << ptx;
  stream.close();
  if (stream.has_error()) {
    stream.clear_error(); // else it ends the process
    return {};
  }
  if (llvm::sys::fs::createTemporaryFile("fa-report", "txt", out))
    return {};
  llvm::scope_exit removeOut([&] { llvm::sys::fs::remove(out); });
  std::string arch = ("-arch=" + chip).str();
  StringRef args[] = {*program, arch, "-v", in, "-o", "/dev/null"};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(out),
                                          StringRef(out)};
  if (llvm::sys::ExecuteAndWait(*program, args, std::nullopt, redirects) != 0)
    return {};
  auto text = llvm::MemoryBuffer::getFile(out);
  return text ? parsePtxas((*text)->getBuffer())
              : llvm::StringMap<PtxasKernel>();
}

static void describeRegisters(raw_ostream &os, int64_t estimate,
                              const PtxasKernel &assembled) {
  if (assembled.registers) {
    os << ", " << assembled.registers << " registers a thread (ptxas), ";
    if (assembled.spillBytes)
      os << assembled.spillBytes << " bytes spilled";
    else
      os << "nothing spilled";
  } else if (estimate) {
    os << ", about " << estimate
       << " registers a thread for its tiles (no ptxas to ask)";
  }
}

/// Kernels are called fa_ENTRY, with what tells apart those of one entry behind
/// it.
int64_t CompileReport::registersOf(StringRef kernel) const {
  kernel.consume_front("fa_");
  StringRef best;
  int64_t registers = 0;
  for (const auto &[entry, own] : tileRegisters)
    if (kernel.starts_with(entry) && entry.size() >= best.size()) {
      best = entry;
      registers = own;
    }
  return registers;
}

void CompileReport::readKernels(ModuleOp module, StringRef artifact,
                                const CompileOptions &options) {
  llvm::raw_string_ostream os(lines);
  auto manifest = module->getAttrOfType<DictionaryAttr>(kManifestAttr);
  auto kernels = manifest ? manifest.getAs<ArrayAttr>("kernels") : ArrayAttr();
  if (!kernels)
    return;
  bool isGpu = options.chip != "cpu";
  llvm::StringMap<PtxasKernel> assembled;
  if (isGpu)
    assembled = runPtxas(artifact, options.chip);
  for (Attribute attr : kernels) {
    auto kernel = cast<DictionaryAttr>(attr);
    StringRef name = kernel.getAs<StringAttr>("name").getValue();
    StringRef note = kernel.getAs<StringAttr>("note").getValue();
    os << "kernel    " << name;
    if (isGpu) {
      os << ": " << kernel.getAs<IntegerAttr>("block").getInt() << " threads, "
         << kernel.getAs<IntegerAttr>("shared_bytes").getInt()
         << " bytes of shared memory";
      describeRegisters(os, registersOf(name), assembled.lookup(name));
    }
    os << "\n";
    if (!note.empty())
      os << "          fallback: " << note << "\n";
  }
}
