// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fa-run: runs an artefact, checks its result and times it.
#include "tools/fa-run/Check.h"
#include "tools/fa-run/Inputs.h"
#include "tools/fa-run/Report.h"
#include "tools/fa-run/Session.h"
#include "tools/fa-run/Timing.h"

#include <cstdio>
#include <optional>

using namespace fa::run;

namespace {

/// The scale that the launch uses.
float scaleOf(const Artefact &artefact, const std::vector<fa_scalar> &scalars) {
  double scale = 1;
  for (const fa_scalar_info &info : artefact.scalars)
    if (std::string(info.name) == "scale" && info.has_default)
      scale = info.default_value;
  for (const fa_scalar &scalar : scalars)
    if (std::string(scalar.name) == "scale")
      scale = scalar.value.f;
  return static_cast<float>(scale);
}

int run(const Options &options) {
  std::optional<DeviceUse> use; // outlives what is loaded into the device
  Artefact artefact(options.artefact);
  if (options.info) {
    std::printf("%s\n", artefact.json());
    return ExitRight;
  }
  Shapes shapes = resolveShapes(options, artefact);
  std::vector<fa_scalar> scalars = makeScalars(options, artefact);
  fa_device device = chooseDevice(options.device, artefact.target);
  use.emplace(device);

  std::vector<HostTensor> tensors = makeTensors(options, artefact, shapes);
  fa::rt::AttentionProblem problem =
      makeProblem(artefact, shapes, tensors, scaleOf(artefact, scalars));
  Session session(artefact, device, tensors, scalars, options.kernel);
  Report report{options, artefact, shapes, problem};
  check(fa_device_query(device, &report.device));
  report.kernel = session.kernelName();
  report.note = session.note();
  report.grid = session.grid();

  session.launch();
  session.synchronize();
  session.download();
  auto kept = session.keepOutputs();
  report.timing = measure(options, session, kept);
  session.restoreOutputs(kept);
  report.check =
      checkResult(options, artefact, shapes, tensors, scalars, problem);

  if (options.json)
    report.printJson();
  else if (!options.quiet)
    report.printTable();
  std::fflush(stdout);
  if (report.status() == ExitUsage)
    std::fprintf(stderr, "error: the check was not made: %s\n",
                 report.check.notMade.c_str());
  else if (report.status() == ExitWrong)
    std::fprintf(stderr, "error: the result is wrong (seed %llu)\n",
                 (unsigned long long)options.seed);
  return report.status();
}

} // namespace

int main(int argc, char **argv) {
  try {
    Options options = parseOptions(argc, argv);
    if (options.help) {
      std::fputs(helpText, stdout);
      return ExitRight;
    }
    return run(options);
  } catch (const Failure &failure) {
    std::fprintf(stderr, "error: %s\n", failure.what());
    return failure.status;
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "error: out of memory\n");
    return ExitUsage;
  }
}
