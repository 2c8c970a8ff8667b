// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/SharedLayout.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace fa::target {

static constexpr int64_t kPanelChunks = kWavefrontBytes / kChunkBytes;

int64_t SharedLayout::byteSize() const {
  if (swizzle == Swizzle::Xor)
    return rows * cols * elementBytes;
  int64_t panels = (chunksPerRow() + kPanelChunks - 1) / kPanelChunks;
  return panels * panelRows * kWavefrontBytes;
}

int64_t SharedLayout::storedChunk(int64_t row, int64_t chunk) const {
  if (swizzle == Swizzle::Sw128)
    return chunk ^ (row % kPanelChunks);
  int64_t chunks = chunksPerRow();
  int64_t group = std::min(chunks & -chunks, kPanelChunks);
  return chunk ^ (row / (kPanelChunks / group) % group);
}

int64_t SharedLayout::byteOffset(int64_t row, int64_t col) const {
  int64_t byte = col * elementBytes;
  int64_t chunk = byte / kChunkBytes, inChunk = byte % kChunkBytes;
  if (swizzle == Swizzle::Xor)
    return row * cols * elementBytes + storedChunk(row, chunk) * kChunkBytes +
           inChunk;
  int64_t panel = chunk / kPanelChunks;
  return (panel * panelRows + row) * kWavefrontBytes +
         storedChunk(row, chunk % kPanelChunks) * kChunkBytes + inChunk;
}

bool isConflictFree(const std::vector<int64_t> &offsets, int64_t accessBytes) {
  constexpr int64_t kBanks = 32, kBankBytes = 4;
  std::size_t lanes = kWavefrontBytes / accessBytes;
  for (std::size_t first = 0; first < offsets.size(); first += lanes) {
    std::array<int64_t, kBanks> wordOfBank;
    wordOfBank.fill(-1);
    std::size_t last = std::min(first + lanes, offsets.size());
    for (std::size_t i = first; i < last; ++i)
      for (int64_t byte = 0; byte < accessBytes; byte += kBankBytes) {
        int64_t word = (offsets[i] + byte) / kBankBytes;
        int64_t &seen = wordOfBank[word % kBanks];
        if (seen >= 0 && seen != word)
          return false;
        seen = word;
      }
  }
  return true;
}

} // namespace fa::target
