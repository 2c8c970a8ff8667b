// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Overlap.h"

#include <algorithm>
#include <numeric>

namespace fa::rt {
namespace {

using Wide = __int128;

/// step * x with x in [0, most].
struct Term {
  Wide step;
  Wide most;
};

Wide gcd(Wide a, Wide b) {
  while (b) {
    Wide r = a % b;
    a = b;
    b = r;
  }
  return a;
}

Wide floorDiv(Wide a, Wide b) { return a / b - (a % b < 0); }

/// Searches for x with low <= sum of the terms <= high. Terms go from the
/// largest step to the smallest, so that with the nested strides of real
/// tensors one or two values of each x are left to try.
class Search {
public:
  void add(Wide step, Wide most) {
    if (step == 0 || most <= 0)
      return;
    if (step < 0) { // x -> most - x
      shift += step * most;
      step = -step;
    }
    terms.push_back({step, most});
  }

  Answer solve(Wide low, Wide high) {
    std::sort(terms.begin(), terms.end(),
              [](const Term &a, const Term &b) { return a.step > b.step; });
    reach.assign(terms.size() + 1, 0);
    divisor.assign(terms.size() + 1, 0);
    for (size_t i = terms.size(); i-- > 0;) {
      reach[i] = reach[i + 1] + terms[i].step * terms[i].most;
      divisor[i] = gcd(terms[i].step, divisor[i + 1]);
    }
    return visit(0, low - shift, high - shift);
  }

private:
  Answer visit(size_t k, Wide low, Wide high) {
    low = std::max<Wide>(low, 0);
    high = std::min(high, reach[k]);
    if (low > high)
      return Answer::No;
    if (k == terms.size())
      return Answer::Yes; // 0 is inside
    Wide g = divisor[k];
    if (floorDiv(high, g) * g < low)
      return Answer::No;
    if (--budget < 0)
      return Answer::Unknown;
    const Term &term = terms[k];
    Wide first = std::max<Wide>(0, -floorDiv(-(low - reach[k + 1]), term.step));
    Wide last = std::min(term.most, floorDiv(high, term.step));
    for (Wide x = first; x <= last; ++x) {
      Answer answer = visit(k + 1, low - term.step * x, high - term.step * x);
      if (answer != Answer::No)
        return answer;
    }
    return Answer::No;
  }

  std::vector<Term> terms;
  std::vector<Wide> reach, divisor;
  Wide shift = 0;
  int budget = 100000;
};

bool isEmpty(const TensorValue &tensor) {
  return std::any_of(tensor.sizes, tensor.sizes + tensor.rank,
                     [](int64_t n) { return n == 0; });
}

void addTerms(Search &search, const TensorValue &tensor, int64_t bytes,
              int sign) {
  for (int d = 0; d < tensor.rank; ++d)
    search.add(Wide(tensor.strides[d]) * bytes * sign,
               Wide(tensor.sizes[d]) - 1);
}

/// Each stride steps over all that the smaller ones reach, as in any slice of a
/// row-major or transposed tensor: no two elements meet.
bool stridesNest(const TensorValue &tensor) {
  std::vector<std::pair<Wide, Wide>> dims;
  for (int d = 0; d < tensor.rank; ++d) {
    Wide stride = tensor.strides[d];
    if (tensor.sizes[d] > 1)
      dims.push_back({stride < 0 ? -stride : stride, tensor.sizes[d]});
  }
  std::sort(dims.begin(), dims.end());
  Wide reach = 0;
  for (auto [stride, size] : dims) {
    if (stride <= reach)
      return false;
    reach += stride * (size - 1);
  }
  return true;
}

} // namespace

bool byteRange(const TensorValue &tensor, int64_t elementBytes, int64_t &low,
               int64_t &high) {
  low = high = 0;
  if (isEmpty(tensor))
    return true;
  int64_t last = elementBytes;
  for (int d = 0; d < tensor.rank; ++d) {
    int64_t steps = tensor.sizes[d] - 1, bytes = 0;
    if (steps == 0)
      continue;
    if (__builtin_mul_overflow(tensor.strides[d], elementBytes, &bytes) ||
        __builtin_mul_overflow(bytes, steps, &bytes))
      return false;
    int64_t &end = bytes < 0 ? low : last;
    if (__builtin_add_overflow(end, bytes, &end))
      return false;
  }
  high = last;
  return true;
}

Answer overlap(const TensorValue &a, int64_t aBytes, const TensorValue &b,
               int64_t bBytes) {
  if (isEmpty(a) || isEmpty(b))
    return Answer::No;
  // The first bytes of two elements that meet differ by less than an element.
  Search search;
  addTerms(search, a, aBytes, 1);
  addTerms(search, b, bBytes, -1);
  Wide distance = Wide(reinterpret_cast<uintptr_t>(b.data)) -
                  Wide(reinterpret_cast<uintptr_t>(a.data));
  return search.solve(distance - (aBytes - 1), distance + (bBytes - 1));
}

Answer overlapsItself(const TensorValue &a, int64_t elementBytes) {
  if (isEmpty(a) || stridesNest(a))
    return Answer::No;
  // Two index vectors whose first difference is in dimension k, where it is 1
  // or more.
  for (int k = 0; k < a.rank; ++k) {
    if (a.sizes[k] < 2)
      continue;
    Search search;
    Wide base = Wide(a.strides[k]) * elementBytes;
    search.add(base, Wide(a.sizes[k]) - 2);
    for (int d = k + 1; d < a.rank; ++d) {
      Wide step = Wide(a.strides[d]) * elementBytes,
           most = Wide(a.sizes[d]) - 1;
      base -= step * most;
      search.add(step, 2 * most);
    }
    Answer answer =
        search.solve(-(elementBytes - 1) - base, (elementBytes - 1) - base);
    if (answer != Answer::No)
      return answer;
  }
  return Answer::No;
}

} // namespace fa::rt
