// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch manifest: from the module attribute `fa.manifest` to JSON. The one
// writer for PTX and CPU artefacts.
#ifndef FA_LOWERING_MANIFEST_H
#define FA_LOWERING_MANIFEST_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::fa {

/// The JSON of `module`'s attribute `fa.manifest`, pretty-printed, with
/// "producer", "target" and "body_sha256" added. Dictionaries become objects,
/// arrays arrays, strings strings, integers and floats numbers, booleans true
/// and false, and `unit` null. Members stand in the order of the format's
/// description, unknown ones after them by name, so equal attributes give equal
/// text. Fails, with an error at the module, where the attribute is missing or
/// holds something else.
FailureOr<std::string> writeManifest(ModuleOp module, DictionaryAttr target,
                                     StringRef bodySha256);

/// What a manifest names as its producer: "fa-compile 0.1.0".
StringRef producer();

/// Lower-case hexadecimal SHA-256 over the concatenation of `parts`.
std::string sha256Hex(ArrayRef<StringRef> parts);

/// Stands in for the hash until the body is known: as long, and all zeros.
std::string emptySha256();

} // namespace mlir::fa

#endif // FA_LOWERING_MANIFEST_H
