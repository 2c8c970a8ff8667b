// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A prepared launch: the kernel chosen and its parameters.
#ifndef FA_RUNTIME_PLAN_H
#define FA_RUNTIME_PLAN_H

#include "runtime/Arguments.h"
#include "runtime/Artifact.h"

#include <map>
#include <mutex>
#include <tuple>

namespace fa::rt {

class CpuLibrary;
class CudaModule;
class Scratch;

/// An open artefact and what of it has been loaded. Plans share it.
struct Artifact {
  ArtifactImage image;
  std::mutex mutex; // guards what follows
  std::shared_ptr<CpuLibrary> library;
  /// Keeps modules loaded between plans; one for each context used.
  std::vector<std::shared_ptr<CudaModule>> modules;
  /// Scratch memory of a kernel by its sizes. Plans share it, so that a new
  /// shape allocates nothing and a plan may go while its launches are under
  /// way.
  std::map<
      std::tuple<const CudaModule *, const KernelSpec *, std::vector<int64_t>>,
      std::shared_ptr<Scratch>>
      scratch;
};

struct PrepareRequest {
  std::shared_ptr<Artifact> artifact;
  fa_device device;
  const fa_tensor *tensors;
  size_t tensorCount;
  const fa_scalar *scalars;
  size_t scalarCount;
  std::string kernel; // "" = the first that fits
  bool hasStream;     // whether the caller named the stream to come
  void *stream;
};

class Plan {
public:
  virtual ~Plan() = default;

  /// Checks, chooses, loads and builds.
  static Status prepare(const PrepareRequest &request,
                        std::unique_ptr<Plan> &result);

  Status launch(void *stream) const;
  Status launchWith(void *const *data, size_t count, void *stream) const;

  const KernelSpec &kernel() const { return *theKernel; }
  int64_t grid() const { return theGrid; }

protected:
  static constexpr size_t maxParams = maxParamBytes / 8;

  /// Opens the device and counts its multiprocessors; called first.
  virtual Status open(int64_t &units) = 0;
  /// Loads the kernel; called once, after everything else is known.
  virtual Status load(const PrepareRequest &request) = 0;
  /// Runs the kernel over the grid (at least one tile) on these tensors.
  /// slots[i] holds argument i, and params[i] its address; scratch pointers and
  /// tensor maps are still to be filled in.
  virtual Status run(const TensorValue *values, uint64_t *slots, void **params,
                     void *stream) const = 0;

  Status evaluateScratch(std::vector<int64_t> &bytes) const;
  /// The tensors that the plan was prepared for, in the manifest's order.
  const TensorValue *preparedTensors() const { return tensors.values.data(); }

  std::shared_ptr<Artifact> artifact;
  fa_device device = {FA_CPU, 0};

private:
  Status choose(const std::string &name);
  Status buildParameters(const PrepareRequest &request);
  Status evaluate(const Expr &expr, const char *what, int64_t &value) const;
  Status start(const TensorValue *tensors, void *stream) const;

  const KernelSpec *theKernel = nullptr;
  BoundTensors tensors;
  std::vector<uint64_t> slots;
  int64_t theGrid = 0, units = 0;
  bool addressesMatter = false; // the kernel's predicate looks at them
};

} // namespace fa::rt

#endif
