// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/CheckManifest.h"

#include "passes/EntryRoles.h"
#include "passes/ManifestBuilder.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
enum class Kind { Any, Text, Number, Object, List };

struct Member {
  llvm::StringLiteral name;
  Kind kind;
};
} // namespace

static constexpr Member kMembers[] = {
    {"fa_manifest", Kind::Number}, {"name", Kind::Text},
    {"problem", Kind::Object},     {"tensors", Kind::List},
    {"constraints", Kind::List},   {"scalars", Kind::List},
    {"kernels", Kind::List},
};

static constexpr Member kKernelMembers[] = {
    {"name", Kind::Text},    {"note", Kind::Text},
    {"when", Kind::Any},     {"params", Kind::List},
    {"grid", Kind::Any},     {"block", Kind::Number},
    {"min_ptx", Kind::Text}, {"shared_bytes", Kind::Number},
    {"scratch", Kind::List},
};

static bool isOf(Attribute attr, Kind kind) {
  switch (kind) {
  case Kind::Any:
    return true;
  case Kind::Text:
    return isa<StringAttr>(attr);
  case Kind::Number:
    return isa<IntegerAttr>(attr) && !isa<BoolAttr>(attr);
  case Kind::Object:
    return isa<DictionaryAttr>(attr);
  case Kind::List:
    return isa<ArrayAttr>(attr);
  }
  llvm_unreachable("all kinds are above");
}

static StringRef nameOf(Kind kind) {
  static constexpr llvm::StringLiteral names[] = {
      "anything", "a string", "an integer", "a dictionary", "an array"};
  return names[static_cast<unsigned>(kind)];
}

/// `attr` is a dictionary of these members; `what` names it.
static LogicalResult checkMembers(ModuleOp module, const Twine &what,
                                  Attribute attr, ArrayRef<Member> members) {
  auto object = dyn_cast_or_null<DictionaryAttr>(attr);
  if (!object) {
    InFlightDiagnostic diag = module.emitError();
    diag << "expects " << what << " to be a dictionary";
    return attr ? diag << ", got " << attr : diag << ", which is missing";
  }
  for (const Member &member : members) {
    Attribute value = object.get(member.name);
    if (!value)
      return module.emitError() << "expects " << what << " to have the member '"
                                << member.name << "'";
    if (!isOf(value, member.kind))
      return module.emitError()
             << "expects '" << member.name << "' of " << what << " to be "
             << nameOf(member.kind) << ", got " << value;
  }
  for (NamedAttribute given : object)
    if (llvm::none_of(members, [&](const Member &member) {
          return member.name == given.getName();
        }))
      return module.emitError()
             << "expects no member '" << given.getName().getValue() << "' in "
             << what;
  return success();
}

static LogicalResult checkName(ModuleOp module, const Twine &what,
                               Attribute attr) {
  StringRef name = cast<StringAttr>(attr).getValue();
  if (isIdentifier(name))
    return success();
  return module.emitError() << "expects the name of " << what << " to be "
                            << kIdentifierRule << ", got '" << name << "'";
}

LogicalResult mlir::fa::checkManifest(ModuleOp module) {
  Attribute attr = module->getAttr(kManifestAttr);
  if (failed(checkMembers(module, kManifestAttr, attr, kMembers)))
    return failure();
  auto manifest = cast<DictionaryAttr>(attr);
  if (failed(checkName(module, kManifestAttr, manifest.get("name"))))
    return failure();
  llvm::StringSet<> functions;
  module->walk([&](FunctionOpInterface function) {
    functions.insert(function.getName());
  });
  for (auto [i, kernel] :
       llvm::enumerate(manifest.getAs<ArrayAttr>("kernels"))) {
    std::string what = (kManifestAttr + ".kernels[" + Twine(i) + "]").str();
    if (failed(checkMembers(module, what, kernel, kKernelMembers)))
      return failure();
    auto name = cast<DictionaryAttr>(kernel).getAs<StringAttr>("name");
    if (failed(checkName(module, what, name)))
      return failure();
    if (!functions.contains(name.getValue()))
      return module.emitError() << "expects a function '" << name.getValue()
                                << "', which " << what << " names, found none";
  }
  return success();
}
