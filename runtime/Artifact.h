// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An artefact's bytes taken apart: manifest and body, hash checked.
#ifndef FA_RUNTIME_ARTIFACT_H
#define FA_RUNTIME_ARTIFACT_H

#include "runtime/Manifest.h"

#include <memory>

namespace fa::rt {

struct ArtifactImage {
  std::string bytes;    // the whole file
  std::string json;     // the manifest's text
  size_t bodyBegin = 0; // PTX: where the body starts
  Manifest manifest;

  const char *ptx() const { return bytes.c_str() + bodyBegin; }
};

/// Reads a file whole.
Status readFile(const std::string &path, std::string &bytes);

/// Takes an artefact apart and checks its manifest and its hash.
Status readArtifact(std::string bytes, ArtifactImage &result);

/// Where section `name` lies in an ELF64 little-endian file. Every offset is
/// checked against the file's size.
Status findElfSection(std::string_view file, std::string_view name,
                      size_t &offset, size_t &size);

} // namespace fa::rt

#endif
