// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Cpu/LinkObject.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace {

Error linkError(const Twine &what) {
  return createStringError(inconvertibleErrorCode(), what);
}

/// Runs LLD, which keeps state of its own and may be unusable after a crash.
Error runLld(ArrayRef<const char *> args) {
  static std::mutex oneAtATime;
  static bool usable = true;
  std::lock_guard<std::mutex> guard(oneAtATime);
  if (!usable)
    return linkError("the linker has crashed before in this process");
  std::string text;
  raw_string_ostream messages(text);
  const lld::DriverDef drivers[] = {{lld::Gnu, &lld::elf::link}};
  lld::Result result = lld::lldMain(args, messages, messages, drivers);
  usable = result.canRunAgain;
  if (result.retCode != 0)
    return linkError("the linker failed: " + StringRef(text).trim());
  return Error::success();
}

} // namespace

// LLD reads and writes files only, so both ends pass through temporary ones.
Error mlir::fa::linkSharedObject(StringRef object, SmallVectorImpl<char> &out) {
  SmallString<128> from, to;
  int fd;
  if (std::error_code error =
          sys::fs::createTemporaryFile("fa-kernel", "o", fd, from))
    return linkError("cannot create a temporary file: " + error.message());
  FileRemover removeFrom(from);
  raw_fd_ostream stream(fd, /*shouldClose=*/true);
  stream << object;
  stream.close();
  if (stream.has_error()) {
    std::string why = stream.error().message();
    stream.clear_error();
    return linkError("cannot write " + from + ": " + why);
  }
  if (std::error_code error =
          sys::fs::createTemporaryFile("fa-kernel", "so", to))
    return linkError("cannot create a temporary file: " + error.message());
  FileRemover removeTo(to);

  const char *args[] = {
      "ld.lld",          "-shared",          "-z", "now",      "--threads=1",
      "--build-id=none", "--hash-style=gnu", "-o", to.c_str(), from.c_str()};
  if (Error error = runLld(args))
    return error;
  ErrorOr<std::unique_ptr<MemoryBuffer>> linked =
      MemoryBuffer::getFile(to, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!linked)
    return linkError("cannot read " + to + ": " + linked.getError().message());
  StringRef bytes = (*linked)->getBuffer();
  out.assign(bytes.begin(), bytes.end());
  return Error::success();
}
