// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SHA-256 (FIPS 180-4), for the hash of an artefact's body.
#ifndef FA_RUNTIME_SHA256_H
#define FA_RUNTIME_SHA256_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fa::rt {

class Sha256 {
public:
  void update(std::string_view bytes);
  /// The digest in lower-case hexadecimal. The object is used up.
  std::string finish();

private:
  void block(const uint8_t *bytes);

  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint8_t pending[64];
  size_t pendingSize = 0;
  uint64_t total = 0;
};

} // namespace fa::rt

#endif
