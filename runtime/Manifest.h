// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch manifest of an artefact, version 1. runtime/MANIFEST.md has the
// format.
#ifndef FA_RUNTIME_MANIFEST_H
#define FA_RUNTIME_MANIFEST_H

#include "runtime/Expr.h"

#include <optional>
#include <string>
#include <vector>

namespace fa::rt {

/// The name of a type as the manifest spells it, and its size in bytes.
const char *typeName(fa_type type);
size_t typeBytes(fa_type type);
bool isFloat(fa_type type);

struct TargetSpec {
  fa_device_kind kind = FA_CPU;
  // CUDA
  std::string chip; // "sm_80"
  int chipMajor = 0, chipMinor = 0;
  bool exact = false;
  // CPU
  std::string triple, cpu;
  std::vector<std::string> features;
};

struct ProblemSpec {
  std::string layout; // bhsd, bshd, packed
  bool bottomRight = false;
  bool causal = false;
  std::optional<int64_t> left, right;
  bool scoreRegion = false, maskRegion = false;
  bool reference = false;
};

struct DimSpec {
  int64_t size = -1;  // where it is fixed
  std::string symbol; // where it is not
};

struct TensorSpec {
  std::string name;
  bool output = false;
  fa_type type = FA_F32;
  std::vector<DimSpec> dims;
};

struct ConstraintSpec {
  Expr expr;
  std::string text;
};

struct ScalarSpec {
  std::string name;
  fa_type type = FA_F32;
  std::optional<double> defaultValue;
  std::string valueClass; // positive, zero, negative, any
};

/// The box of a tensor map: what one bulk copy moves, and how it lies in shared
/// memory.
struct TensorBox {
  int rows = 0, columns = 0; // of elements
  int swizzleBytes = 0;      // 0, 32, 64 or 128
};

struct ParamSpec {
  enum class Kind { Pointer, Size, Stride, Scalar, Scratch, Value, TensorMap };
  Kind kind = Kind::Pointer;
  int index = 0; // of the tensor, the scalar or the scratch buffer
  int dim = 0;   // of a size or a stride; the rows of a tensor map
  Expr value;
  TensorBox box;
};

/// The bytes of parameters that every chip takes.
constexpr size_t maxParamBytes = 4096;
/// What a tensor map takes of them; it is aligned to 64.
constexpr size_t tensorMapBytes = 128;

struct ScratchSpec {
  std::string name;
  Expr bytes;
  uint8_t init = 0; // every byte, before the first launch that uses it
};

struct KernelSpec {
  std::string name, note;
  Expr when, grid;
  std::vector<ParamSpec> params;
  int block = 1;
  int64_t sharedBytes = 0;
  int ptxVersion = 0; // 10 * major + minor, 0 on the CPU
  std::vector<ScratchSpec> scratch;
};

struct Manifest {
  std::string name, producer, bodySha256;
  TargetSpec target;
  ProblemSpec problem;
  std::vector<TensorSpec> tensors;
  std::vector<ConstraintSpec> constraints;
  std::vector<ScalarSpec> scalars;
  std::vector<KernelSpec> kernels;
};

/// Reads and checks a manifest. Unknown versions and fields, missing fields,
/// wrong types and numbers out of range are refused; the message names the
/// field's path.
Status parseManifest(std::string_view text, Manifest &result);

} // namespace fa::rt

#endif
