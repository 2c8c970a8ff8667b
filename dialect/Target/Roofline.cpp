// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/Roofline.h"

namespace fa::target {

// Source: NVIDIA's data sheets of these products.
static constexpr Roofline kRows[] = {
    {"sm_80", "A100 SXM 80 GB", 312e12, 2.039e12},
    {"sm_86", "A40", 149.7e12, 0.696e12},
    {"sm_89", "L40S", 362e12, 0.864e12},
    {"sm_90a", "H100 SXM", 989e12, 3.35e12},
};

const Roofline *findRoofline(std::string_view chip) {
  for (const Roofline &row : kRows)
    if (row.chip == chip)
      return &row;
  return nullptr;
}

} // namespace fa::target
