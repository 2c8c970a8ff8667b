// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing a result to a file, as programs and passes alike want it.
#ifndef FA_LOWERING_WRITEFILE_H
#define FA_LOWERING_WRITEFILE_H

#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/LLVM.h"

#include "llvm/Support/ToolOutputFile.h"

namespace mlir::fa {

/// Writes `bytes` to the file at `path` ("-": standard output). On failure
/// `error` says why, and no half of a file is left.
inline LogicalResult writeFile(StringRef path, StringRef bytes,
                               std::string &error) {
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &error);
  if (!file)
    return failure();
  file->os() << bytes;
  file->os().flush();
  if (std::error_code code = file->os().error()) {
    file->os().clear_error(); // else the stream ends the process
    error = ("cannot write '" + path + "': " + code.message()).str();
    return failure();
  }
  file->keep();
  return success();
}

} // namespace mlir::fa

#endif // FA_LOWERING_WRITEFILE_H
