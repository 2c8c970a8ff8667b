// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Artifact.h"

#include "runtime/Sha256.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace fa::rt {
namespace {

constexpr std::string_view elfMagic = "\x7f"
                                      "ELF";
constexpr std::string_view ptxFirst = "// fa-manifest ";
constexpr std::string_view ptxEnd = "// fa-manifest end";
constexpr std::string_view sectionName = ".fa_manifest";
constexpr size_t maxFile = size_t(1) << 30;

Status invalid(std::string text) {
  return Status(FA_INVALID_ARTIFACT, std::move(text));
}

/// The line at `pos` without its end; moves `pos` to the next one.
bool nextLine(std::string_view text, size_t &pos, std::string_view &line) {
  size_t end = text.find('\n', pos);
  if (end == text.npos)
    return false;
  line = text.substr(pos, end - pos);
  pos = end + 1;
  return true;
}

Status splitPtx(ArtifactImage &image) {
  std::string_view text = image.bytes, line;
  size_t pos = 0;
  if (!nextLine(text, pos, line) || line != "// fa-manifest 1")
    return invalid(concat("expects manifest version 1, got the line '",
                          line.substr(0, 60), "'"));
  while (nextLine(text, pos, line)) {
    if (line == ptxEnd) {
      image.bodyBegin = pos;
      return {};
    }
    if (line.substr(0, 3) != "// ")
      return invalid(
          "the manifest's comment block has no '// fa-manifest end'");
    image.json.append(line.substr(3)).append("\n");
  }
  return invalid("the manifest's comment block has no '// fa-manifest end'");
}

/// A reader of fixed-width little-endian fields that never leaves the file.
class ElfReader {
public:
  explicit ElfReader(std::string_view file) : file(file) {}

  template <typename T> bool read(uint64_t offset, T &value) const {
    if (offset > file.size() || file.size() - offset < sizeof(T))
      return false;
    std::memcpy(&value, file.data() + offset, sizeof(T));
    return true;
  }
  bool contains(uint64_t offset, uint64_t size) const {
    return offset <= file.size() && size <= file.size() - offset;
  }
  std::string_view slice(uint64_t offset, uint64_t size) const {
    return file.substr(offset, size);
  }

private:
  std::string_view file;
};

struct Section {
  uint32_t name = 0, type = 0;
  uint64_t offset = 0, size = 0;
};

// Offsets in the ELF64 header and in a section header (System V ABI).
constexpr uint64_t headerSections = 40, headerEntrySize = 58, headerCount = 60,
                   headerNames = 62, sectionHeaderSize = 64;
constexpr uint32_t noBits = 8;

bool readSection(const ElfReader &elf, uint64_t at, Section &section) {
  return elf.read(at, section.name) && elf.read(at + 4, section.type) &&
         elf.read(at + 24, section.offset) && elf.read(at + 32, section.size) &&
         (section.type == noBits || elf.contains(section.offset, section.size));
}

Status checkHash(const ArtifactImage &image, std::string_view before,
                 std::string_view after) {
  Sha256 sha;
  sha.update(before);
  sha.update(after);
  std::string found = sha.finish();
  if (found == image.manifest.bodySha256)
    return {};
  return invalid(concat("the body's hash is ", found, ", the manifest says ",
                        image.manifest.bodySha256,
                        ": the artefact is damaged or was edited"));
}

Status readPtx(ArtifactImage &image) {
  if (Status s = splitPtx(image))
    return s;
  if (Status s = parseManifest(image.json, image.manifest))
    return s;
  if (image.manifest.target.kind != FA_CUDA)
    return invalid("manifest: target.kind: expects 'ptx' in a text artefact");
  std::string_view body = std::string_view(image.bytes).substr(image.bodyBegin);
  if (body.find('\0') != body.npos)
    return invalid("a NUL in the PTX text");
  return checkHash(image, body, {});
}

Status readElf(ArtifactImage &image) {
  std::string_view file = image.bytes;
  size_t offset = 0, size = 0;
  if (Status s = findElfSection(file, sectionName, offset, size))
    return s;
  std::string_view text = file.substr(offset, size);
  while (!text.empty() && text.back() == '\0')
    text.remove_suffix(1);
  image.json = text;
  if (Status s = parseManifest(image.json, image.manifest))
    return s;
  if (image.manifest.target.kind != FA_CPU)
    return invalid("manifest: target.kind: expects 'cpu' in a shared object");
  return checkHash(image, file.substr(0, offset), file.substr(offset + size));
}

} // namespace

Status findElfSection(std::string_view file, std::string_view name,
                      size_t &offset, size_t &size) {
  ElfReader elf(file);
  Status damaged = invalid("not a whole 64-bit little-endian ELF file");
  uint64_t table = 0;
  uint16_t entrySize = 0, count = 0, namesIndex = 0;
  // Bytes 4 and 5: 64 bits, little endian.
  if (file.substr(0, 4) != elfMagic || file.size() < 64 || file[4] != 2 ||
      file[5] != 1 || !elf.read(headerSections, table) ||
      !elf.read(headerEntrySize, entrySize) || !elf.read(headerCount, count) ||
      !elf.read(headerNames, namesIndex))
    return damaged;
  if (entrySize != sectionHeaderSize || namesIndex >= count ||
      !elf.contains(table, uint64_t(count) * entrySize))
    return damaged;
  Section names, found;
  if (!readSection(elf, table + uint64_t(namesIndex) * entrySize, names) ||
      names.type == noBits)
    return damaged;
  std::string_view nameTable = elf.slice(names.offset, names.size);
  unsigned matches = 0;
  for (uint16_t i = 0; i < count; ++i) {
    Section section;
    if (!readSection(elf, table + uint64_t(i) * entrySize, section))
      return damaged;
    if (section.name >= nameTable.size())
      continue;
    std::string_view own = nameTable.substr(section.name);
    if (own.substr(0, own.find('\0')) != name || section.type == noBits)
      continue;
    found = section;
    ++matches;
  }
  if (matches != 1)
    return invalid(concat("expects one section '", name, "', got ", matches));
  offset = found.offset;
  size = found.size;
  return {};
}

Status readFile(const std::string &path, std::string &bytes) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return failure(FA_IO_ERROR, "cannot open '", path,
                   "': ", std::strerror(errno));
  bytes.clear();
  char buffer[1 << 16];
  size_t n;
  while ((n = std::fread(buffer, 1, sizeof(buffer), file)) > 0 &&
         bytes.size() <= maxFile)
    bytes.append(buffer, n);
  bool bad = std::ferror(file);
  int error = errno;
  std::fclose(file);
  if (bad)
    return failure(FA_IO_ERROR, "cannot read '", path,
                   "': ", std::strerror(error));
  return {};
}

Status readArtifact(std::string bytes, ArtifactImage &result) {
  if (bytes.size() > maxFile)
    return failure(FA_INVALID_ARTIFACT, "expects an artefact of at most ",
                   maxFile, " bytes");
  result = ArtifactImage();
  result.bytes = std::move(bytes);
  std::string_view text = result.bytes;
  if (text.substr(0, 4) == elfMagic)
    return readElf(result);
  if (text.substr(0, ptxFirst.size()) == ptxFirst)
    return readPtx(result);
  return invalid(
      "expects PTX that starts with a manifest, or an ELF shared object");
}

} // namespace fa::rt
