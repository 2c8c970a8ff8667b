// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fa-run/Inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fa::run {
namespace {

/// Random numbers by position, so that threads can share the work and the
/// numbers are the same on every machine.
class Random {
public:
  Random(uint64_t seed, const std::string &name) : key(seed + 1) {
    for (char c : name)
      key = mix(key ^ static_cast<unsigned char>(c));
  }
  double uniform(int64_t at) const { // [0, 1)
    return double(bits(at) >> 11) * 0x1p-53;
  }
  double normal(int64_t at) const {
    uint64_t b = bits(at);
    double u = (double(b >> 32) + 1) * 0x1p-32,
           v = double(b & 0xFFFFFFFF) * 0x1p-32;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v);
  }

private:
  static uint64_t mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  uint64_t bits(int64_t at) const { return mix(key ^ mix(uint64_t(at))); }

  uint64_t key;
};

bool isHeads(const std::string &name) {
  return name == "q" || name == "k" || name == "v" || name == "o";
}

class Maker {
public:
  Maker(const Options &options, const Artefact &artefact, const Shapes &shapes)
      : options(options), artefact(artefact), shapes(shapes) {}

  std::vector<HostTensor> run() {
    checkNames();
    std::vector<HostTensor> tensors;
    for (const fa_tensor_info &info : artefact.tensors)
      tensors.push_back(make(info));
    if (options.poison)
      poisonUnused(tensors);
    return tensors;
  }

private:
  void checkNames() {
    auto known = [&](const std::string &name) {
      for (const fa_scalar_info &scalar : artefact.scalars)
        if (name == scalar.name)
          return true;
      const fa_tensor_info *tensor = artefact.find(name);
      return tensor && !tensor->is_output && !isHeads(name);
    };
    for (const auto &[name, text] : options.args)
      if (!known(name))
        throw Failure(ExitUsage,
                      "--arg " + name + ": the artefact has no such input");
    checkTensors("--strides", options.strides);
    checkTensors("--pad", options.pad);
    checkTensors("--base", options.base);
    checkTensors("--offset", options.offset);
    if (shapes.packed && !options.order.empty())
      throw Failure(ExitUsage,
                    "--order: the packed form has an order of its own");
  }

  /// An empty name stands for q, k, v and o.
  template <typename T>
  void checkTensors(const std::string &option,
                    const std::map<std::string, T> &named) {
    for (const auto &[name, value] : named)
      if (!name.empty() && !artefact.find(name))
        throw Failure(ExitUsage, option + " " + name +
                                     ": the artefact has no such tensor");
  }

  HostTensor make(const fa_tensor_info &info) {
    const std::vector<int64_t> &sizes = shapes.dims.at(info.name);
    uint8_t fill = info.is_output || options.poison ? poisonByte : 0;
    int64_t base =
        named(options.base, info.name) * int64_t(typeBytes(info.type)) +
        named(options.offset, info.name);
    HostTensor tensor(info, sizes, layout(info, sizes), base, fill);
    if (!info.is_output)
      fillInput(tensor);
    return tensor;
  }

  int64_t named(const std::map<std::string, int64_t> &map,
                const std::string &name) {
    if (auto it = map.find(name); it != map.end())
      return it->second;
    auto it = map.find("");
    return it != map.end() && isHeads(name) ? it->second : 0;
  }

  std::vector<int64_t> layout(const fa_tensor_info &info,
                              const std::vector<int64_t> &sizes) {
    std::vector<int64_t> strides(sizes.size());
    if (auto it = options.strides.find(info.name); it != options.strides.end())
      return explicitStrides(info.name, it->second, sizes.size());
    // From the innermost dimension outwards; the two in the middle change
    // places where another memory order is asked for.
    std::vector<size_t> order;
    for (size_t d = sizes.size(); d-- > 0;)
      order.push_back(d);
    bool swap =
        !options.order.empty() && options.order != artefact.problem.layout;
    if (swap && isHeads(info.name) && sizes.size() == 4)
      std::swap(order[1], order[2]);
    int64_t step = 1;
    for (size_t d : order) {
      strides[d] = step;
      int64_t extent =
          sizes[d] +
          (d + 1 == sizes.size() ? named(options.pad, info.name) : 0);
      if (__builtin_mul_overflow(step, std::max<int64_t>(extent, 1), &step))
        throw Failure(ExitUsage, std::string(info.name) +
                                     ": these sizes need too much memory");
    }
    return strides;
  }

  std::vector<int64_t> explicitStrides(const std::string &name,
                                       const std::string &text, size_t rank) {
    std::vector<int64_t> strides;
    size_t at = 0;
    while (at <= text.size()) {
      size_t end = std::min(text.find(',', at), text.size());
      strides.push_back(
          parseInteger(text.substr(at, end - at), "--strides " + name));
      at = end + 1;
    }
    if (strides.size() != rank)
      throw Failure(ExitUsage, "--strides " + name + ": expects " +
                                   std::to_string(rank) + " numbers, got " +
                                   std::to_string(strides.size()));
    return strides;
  }

  void fillInput(HostTensor &tensor) {
    const std::string &name = tensor.name();
    Random random(options.seed, name);
    if (isHeads(name))
      return fillHeads(tensor, random);
    if (name == "q_offsets" || name == "kv_offsets") {
      const auto &list =
          name == "q_offsets" ? shapes.qOffsets : shapes.kvOffsets;
      return tensor.fill(
          [&](const int64_t *index, int64_t) { return list.at(index[0]); });
    }
    std::vector<double> values;
    if (listArgument(options, name, values))
      return fillList(tensor, values);
    if (auto it = options.args.find(name); it != options.args.end())
      return fillRange(tensor, it->second, random);
    fillDefault(tensor, random);
  }

  void fillList(HostTensor &tensor, const std::vector<double> &values) {
    if (static_cast<int64_t>(values.size()) != tensor.elements())
      throw Failure(ExitUsage, "--arg " + tensor.name() + ": expects " +
                                   std::to_string(tensor.elements()) +
                                   " numbers, got " +
                                   std::to_string(values.size()));
    tensor.fill([&](const int64_t *, int64_t i) { return values[i]; });
  }

  /// VALUE or LOW:HIGH.
  void fillRange(HostTensor &tensor, const std::string &text,
                 const Random &random) {
    std::string what = "--arg " + tensor.name();
    size_t colon = text.find(':');
    double low = parseNumber(text.substr(0, colon), what);
    double high =
        colon == text.npos ? low : parseNumber(text.substr(colon + 1), what);
    bool whole = tensor.type() >= FA_I1;
    tensor.fill([&](const int64_t *, int64_t i) {
      double u = random.uniform(i);
      return whole ? std::floor(low + u * (high - low + 1))
                   : low + u * (high - low);
    });
  }

  void fillDefault(HostTensor &tensor, const Random &random) {
    const std::string &name = tensor.name();
    bool lengths = name == "q_lengths" || name == "kv_lengths";
    if (lengths)
      return fillRange(tensor,
                       "0:" + std::to_string(name == "q_lengths"
                                                 ? shapes.queries
                                                 : shapes.keys),
                       random);
    if (tensor.type() >= FA_I1)
      return fillRange(tensor, "0:1", random);
    tensor.fill([&](const int64_t *, int64_t i) { return random.normal(i); });
  }

  void fillHeads(HostTensor &tensor, const Random &random) {
    bool value = tensor.name() == "v";
    double amplitude = options.amplitude;
    if (options.data == "sharp" && !value)
      amplitude *= 4;
    if (options.data == "large" && !value)
      return tensor.fill([&](const int64_t *, int64_t i) {
        return random.uniform(i) < 0.5 ? -8192.0 : 8192.0;
      });
    if (options.data == "negative" && !value) {
      double sign = tensor.name() == "q" ? 4 * amplitude : -amplitude;
      return tensor.fill([&](const int64_t *, int64_t i) {
        return sign * (1 + std::fabs(random.normal(i)));
      });
    }
    if (options.data == "needle")
      return fillNeedle(tensor, random);
    int axis = shapes.rowAxis();
    bool growing = options.data == "growing" && tensor.name() == "k";
    double rows = double(std::max<int64_t>(tensor.sizes()[axis], 1));
    tensor.fill([&](const int64_t *index, int64_t i) {
      double growth = growing ? 0.2 + 3 * double(index[axis]) / rows : 1;
      return amplitude * growth * random.normal(i);
    });
  }

  /// The last key has a score 14.6 above all others, which weigh 2^-21 of it
  /// each; beside values around 1 all of them together still count.
  void fillNeedle(HostTensor &tensor, const Random &random) {
    size_t rowAxis = shapes.rowAxis(), column = tensor.sizes().size() - 1;
    double dim = double(tensor.sizes()[column]);
    double tall = std::sqrt(14.6 * std::sqrt(dim));
    int64_t last = tensor.sizes()[rowAxis] - 1;
    tensor.fill([&](const int64_t *index, int64_t i) {
      double noise = 0.25 * random.normal(i);
      if (tensor.name() == "v")
        return 1 + noise;
      if (index[column] > 0)
        return noise;
      return tensor.name() == "q" || index[rowAxis] == last ? tall : 0;
    });
  }

  /// NaN into the rows of q, k and v that do not exist.
  void poisonUnused(std::vector<HostTensor> &tensors) {
    std::vector<double> qLengths = vectorOf(tensors, "q_lengths");
    std::vector<double> kvLengths = vectorOf(tensors, "kv_lengths");
    for (const char *name : {"q", "k", "v"}) {
      HostTensor &tensor = *findTensor(tensors, name);
      bool query = tensor.name() == "q";
      const std::vector<double> &lengths = query ? qLengths : kvLengths;
      if (lengths.empty() && !shapes.packed)
        continue;
      double packedEnd = 0;
      if (shapes.packed)
        packedEnd = query ? shapes.qOffsets.back() : shapes.kvOffsets.back();
      int axis = shapes.rowAxis();
      tensor.forEachRow([&](const int64_t *index, int64_t offset) {
        double end = shapes.packed ? packedEnd : lengths[index[0]];
        if (double(index[axis]) < end)
          return;
        for (int64_t d = 0; d < tensor.sizes().back(); ++d)
          tensor.set(offset + d * tensor.strides().back(),
                     std::numeric_limits<double>::quiet_NaN());
      });
    }
  }

  const Options &options;
  const Artefact &artefact;
  const Shapes &shapes;
};

} // namespace

std::vector<HostTensor> makeTensors(const Options &options,
                                    const Artefact &artefact,
                                    const Shapes &shapes) {
  return Maker(options, artefact, shapes).run();
}

std::vector<fa_scalar> makeScalars(const Options &options,
                                   const Artefact &artefact) {
  std::vector<fa_scalar> scalars;
  bool scaleUsed = false;
  for (const fa_scalar_info &info : artefact.scalars) {
    fa_scalar scalar{};
    scalar.name = info.name;
    scalar.type = FA_F64;
    auto it = options.args.find(info.name);
    bool isScale = std::string(info.name) == "scale";
    if (it != options.args.end())
      scalar.value.f =
          parseNumber(it->second, std::string("--arg ") + info.name);
    else if (isScale && options.scale)
      scalar.value.f = *options.scale;
    else
      continue;
    scaleUsed |= isScale;
    scalars.push_back(scalar);
  }
  if (options.scale && !scaleUsed)
    throw Failure(ExitUsage, "--scale: the artefact's scale is fixed");
  return scalars;
}

HostTensor *findTensor(std::vector<HostTensor> &tensors,
                       const std::string &name) {
  for (HostTensor &tensor : tensors)
    if (tensor.name() == name)
      return &tensor;
  return nullptr;
}

std::vector<double> vectorOf(std::vector<HostTensor> &tensors,
                             const std::string &name) {
  std::vector<double> values;
  HostTensor *tensor = findTensor(tensors, name);
  if (tensor && tensor->sizes().size() == 1)
    for (int64_t i = 0; i < tensor->sizes()[0]; ++i)
      values.push_back(tensor->get(i * tensor->strides()[0]));
  return values;
}

} // namespace fa::run
