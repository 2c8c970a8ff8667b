// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fa-run/Shapes.h"

#include <fstream>
#include <set>
#include <sstream>

namespace fa::run {

bool listArgument(const Options &options, const std::string &name,
                  std::vector<double> &values) {
  auto it = options.args.find(name);
  if (it == options.args.end())
    return false;
  const std::string &text = it->second;
  bool file = !text.empty() && text[0] == '@';
  if (!file && text.find(',') == text.npos)
    return false;
  std::stringstream stream;
  if (file) {
    std::ifstream in(text.substr(1));
    if (!in)
      throw Failure(ExitUsage,
                    "--arg " + name + ": cannot open '" + text.substr(1) + "'");
    stream << in.rdbuf();
  } else {
    stream << text;
  }
  std::string all = stream.str(), word;
  for (char &c : all)
    c = c == ',' || c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
  std::istringstream words(all);
  values.clear();
  while (words >> word)
    values.push_back(parseNumber(word, "--arg " + name));
  return true;
}

namespace {

/// Sizes by symbol, filled in from several sides, which must agree.
class Resolver {
public:
  Resolver(const Options &options, const Artefact &artefact)
      : options(options), artefact(artefact), known(options.sizes) {}

  Shapes run() {
    checkNames();
    Shapes shapes;
    std::string layout = artefact.problem.layout;
    shapes.packed = layout == "packed";
    shapes.sequenceMajor = layout == "bshd";
    for (const char *name : {"q", "k", "v"})
      require(name, shapes.packed ? 3 : 4);
    if (shapes.packed)
      packedSizes(shapes);
    else
      paddedSizes(shapes);
    headSizes(shapes);
    shapes.headDim = fixedLast("q");
    shapes.valueDim = fixedLast("v");
    remainingSizes(shapes);
    return shapes;
  }

private:
  void checkNames() const {
    std::set<std::string> names;
    for (const fa_tensor_info &tensor : artefact.tensors)
      for (int d = 0; d < tensor.rank; ++d)
        if (tensor.symbols[d])
          names.insert(tensor.symbols[d]);
    std::string list;
    for (const std::string &name : names)
      list += (list.empty() ? "" : ", ") + name;
    for (const auto &[name, size] : options.sizes)
      if (!names.count(name))
        throw Failure(ExitUsage,
                      "--size " + name +
                          ": the artefact has no such size; it has " +
                          (list.empty() ? "none" : list));
  }

  const fa_tensor_info &require(const std::string &name, int rank) {
    const fa_tensor_info *tensor = artefact.find(name);
    if (!tensor || tensor->rank != rank)
      throw Failure(ExitUsage, "the artefact has no tensor '" + name +
                                   "' of rank " + std::to_string(rank));
    return *tensor;
  }

  /// The size where it is fixed by the artefact or by what went before.
  std::optional<int64_t> sizeOf(const fa_tensor_info &tensor, int dim) const {
    if (!tensor.symbols[dim])
      return tensor.dims[dim];
    auto it = known.find(tensor.symbols[dim]);
    return it == known.end() ? std::optional<int64_t>() : it->second;
  }

  /// Settles a dimension: what the user asked for, else what is known, else the
  /// default.
  int64_t settle(const std::string &name, int dim, std::optional<int64_t> asked,
                 int64_t otherwise, const std::string &option) {
    const fa_tensor_info &tensor = *artefact.find(name);
    std::optional<int64_t> have = sizeOf(tensor, dim);
    if (have && asked && *have != *asked)
      throw Failure(ExitUsage, option + ": size " + std::to_string(dim) +
                                   " of '" + name + "' is " +
                                   std::to_string(*have) + ", got " +
                                   std::to_string(*asked));
    int64_t value = have ? *have : asked ? *asked : otherwise;
    if (tensor.symbols[dim])
      known[tensor.symbols[dim]] = value;
    return value;
  }

  int64_t fixedLast(const std::string &name) {
    const fa_tensor_info &tensor = *artefact.find(name);
    return settle(name, tensor.rank - 1, {}, 64, "--size");
  }

  /// A batch size that a list of lengths fixes.
  std::optional<int64_t> listedBatch() {
    std::vector<double> values;
    for (const char *name : {"q_lengths", "kv_lengths"})
      if (artefact.find(name) && listArgument(options, name, values))
        return values.size();
    return {};
  }

  void paddedSizes(Shapes &s) {
    std::optional<int64_t> batch =
        options.batch ? options.batch : listedBatch();
    s.batch = settle("q", 0, batch, 1, "--batch");
    settle("k", 0, s.batch, 1, "--batch");
    settle("v", 0, s.batch, 1, "--batch");
    s.queries = settle("q", s.rowAxis(), options.seqlenQ, 128, "--seqlen-q");
    s.keys = settle("k", s.rowAxis(), options.seqlenK, s.queries, "--seqlen-k");
    settle("v", s.rowAxis(), s.keys, s.keys, "--seqlen-k");
  }

  std::vector<int32_t> offsets(const std::string &name, int64_t batch,
                               std::optional<int64_t> length,
                               std::optional<int64_t> total) {
    std::vector<double> values;
    std::vector<int32_t> result;
    if (listArgument(options, name, values)) {
      result.assign(values.begin(), values.end());
    } else {
      int64_t each = length ? *length : total && batch ? *total / batch : 128;
      for (int64_t b = 0; b <= batch; ++b)
        result.push_back(static_cast<int32_t>(b * each));
    }
    bool ascending = !result.empty() && result[0] == 0;
    for (size_t i = 1; i < result.size(); ++i)
      ascending &= result[i] >= result[i - 1];
    if (!ascending)
      throw Failure(ExitUsage,
                    "--arg " + name + ": expects numbers that ascend from 0");
    return result;
  }

  void packedSizes(Shapes &s) {
    const fa_tensor_info &tensor = require("q_offsets", 1);
    require("kv_offsets", 1);
    std::vector<double> values;
    std::optional<int64_t> asked;
    if (options.batch)
      asked = *options.batch + 1;
    for (const char *name : {"q_offsets", "kv_offsets"})
      if (!asked && listArgument(options, name, values))
        asked = values.size();
    if (!asked && !sizeOf(tensor, 0))
      asked = 3;
    s.batch = settle("q_offsets", 0, asked, 3, "--batch") - 1;
    settle("kv_offsets", 0, s.batch + 1, 3, "--batch");
    if (s.batch < 0)
      throw Failure(ExitUsage, "q_offsets: expects at least one number");
    s.qOffsets = offsets("q_offsets", s.batch, options.seqlenQ,
                         sizeOf(*artefact.find("q"), 0));
    std::optional<int64_t> keyLength =
        options.seqlenK ? options.seqlenK : options.seqlenQ;
    s.kvOffsets = offsets("kv_offsets", s.batch, keyLength,
                          sizeOf(*artefact.find("k"), 0));
    for (auto *list : {&s.qOffsets, &s.kvOffsets})
      if (static_cast<int64_t>(list->size()) != s.batch + 1)
        throw Failure(ExitUsage, "q_offsets and kv_offsets: expect " +
                                     std::to_string(s.batch + 1) +
                                     " numbers each");
    s.queries = settle("q", 0, {}, s.qOffsets.back(), "--seqlen-q");
    s.keys = settle("k", 0, {}, s.kvOffsets.back(), "--seqlen-k");
    settle("v", 0, s.keys, s.keys, "--seqlen-k");
    if (s.queries < s.qOffsets.back() || s.keys < s.kvOffsets.back())
      throw Failure(ExitUsage, "the offsets reach beyond the rows of q or k");
  }

  void headSizes(Shapes &s) {
    int axis = s.headAxis();
    std::optional<int64_t> kv = sizeOf(*artefact.find("k"), axis);
    int64_t otherwise = options.kvHeads ? *options.kvHeads : kv ? *kv : 2;
    s.heads = settle("q", axis, options.heads, otherwise, "--heads");
    s.kvHeads = settle("k", axis, options.kvHeads, s.heads, "--kv-heads");
    settle("v", axis, s.kvHeads, s.kvHeads, "--kv-heads");
  }

  /// A capture's sizes where nothing else says them: those of what such
  /// captures usually are (a bias or mask, slopes).
  std::optional<int64_t> usualSize(const Shapes &s, int rank, int dim) const {
    if (rank == 1)
      return s.heads;
    const int64_t usual[] = {s.batch, s.heads, s.queries, s.keys};
    return rank <= 4 ? usual[4 - rank + dim] : std::optional<int64_t>();
  }

  void remainingSizes(Shapes &s) {
    settleOutputs(s);
    for (const fa_tensor_info &tensor : artefact.tensors) {
      std::vector<int64_t> &dims = s.dims[tensor.name];
      for (int d = 0; d < tensor.rank; ++d) {
        std::optional<int64_t> size = sizeOf(tensor, d);
        if (!size)
          size = usualSize(s, tensor.rank, d);
        if (!size)
          throw Failure(ExitUsage, "size " + std::to_string(d) + " of '" +
                                       tensor.name +
                                       "' is not known: give --size " +
                                       tensor.symbols[d] + "=N");
        if (tensor.symbols[d])
          known[tensor.symbols[d]] = *size;
        dims.push_back(*size);
      }
    }
  }

  /// Symbols that the manifest did not already tie to those of q, k and v.
  void settleOutputs(const Shapes &s) {
    auto tie = [&](const char *name, int dim, int64_t size) {
      const fa_tensor_info *tensor = artefact.find(name);
      if (tensor && dim < tensor->rank && tensor->symbols[dim])
        known.insert({tensor->symbols[dim], size});
    };
    if (!s.packed)
      tie("o", 0, s.batch);
    tie("o", s.headAxis(), s.heads);
    tie("o", s.rowAxis(), s.queries);
    tie("o", s.packed ? 2 : 3, s.valueDim);
    if (!s.packed)
      tie("lse", 0, s.batch);
    tie("lse", s.packed ? 0 : 1, s.heads);
    tie("lse", s.packed ? 1 : 2, s.queries);
    tie("q_lengths", 0, s.batch);
    tie("kv_lengths", 0, s.batch);
    tie("sink", 0, s.heads);
  }

  const Options &options;
  const Artefact &artefact;
  std::map<std::string, int64_t> known;
};

} // namespace

Shapes resolveShapes(const Options &options, const Artefact &artefact) {
  return Resolver(options, artefact).run();
}

} // namespace fa::run
