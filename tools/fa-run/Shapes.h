// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From options and manifest to the size of every tensor.
#ifndef FA_TOOLS_RUN_SHAPES_H
#define FA_TOOLS_RUN_SHAPES_H

#include "tools/fa-run/Artefact.h"

namespace fa::run {

struct Shapes {
  bool packed = false;
  bool sequenceMajor = false; // bshd
  int64_t batch = 0, heads = 0, kvHeads = 0;
  int64_t queries = 0, keys = 0; // all rows in the packed form
  int64_t headDim = 0, valueDim = 0;
  std::vector<int32_t> qOffsets, kvOffsets;         // packed form
  std::map<std::string, std::vector<int64_t>> dims; // by tensor

  /// Where head and sequence stand among the dimensions of q, k, v and o.
  int headAxis() const {
    return packed || sequenceMajor ? (packed ? 1 : 2) : 1;
  }
  int rowAxis() const { return packed ? 0 : sequenceMajor ? 1 : 2; }
};

Shapes resolveShapes(const Options &options, const Artefact &artefact);

/// The numbers of --arg NAME=1,2,3 or --arg NAME=@FILE; false where the
/// argument has another form or is missing.
bool listArgument(const Options &options, const std::string &name,
                  std::vector<double> &values);

} // namespace fa::run

#endif
