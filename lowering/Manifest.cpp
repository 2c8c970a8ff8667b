// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Manifest.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;

namespace {

/// Members of all objects of the format, in the order in which they are
/// written: a dictionary attribute is sorted by name and would be hard to read.
constexpr StringLiteral memberOrder[] = {
    "fa_manifest", "name",    "producer",     "target",       "kind",
    "chip",        "rule",    "triple",       "cpu",          "features",
    "body_sha256", "problem", "layout",       "mask",         "alignment",
    "causal",      "left",    "right",        "score_region", "mask_region",
    "reference",   "tensors", "role",         "type",         "dims",
    "constraints", "expr",    "text",         "scalars",      "default",
    "class",       "kernels", "note",         "when",         "params",
    "grid",        "block",   "shared_bytes", "min_ptx",      "scratch",
    "bytes",       "init",    "owner",
};

size_t rank(StringRef member) {
  return llvm::find(memberOrder, member) - std::begin(memberOrder);
}

/// Writes attributes as JSON; remembers the first that has no JSON form.
class Writer {
public:
  explicit Writer(llvm::json::OStream &json) : json(json) {}

  void value(Attribute attr) {
    llvm::TypeSwitch<Attribute>(attr)
        .Case([&](DictionaryAttr a) { object(a); })
        .Case([&](ArrayAttr a) {
          json.array(
              [&] { llvm::for_each(a, [&](Attribute x) { value(x); }); });
        })
        .Case([&](StringAttr a) { json.value(a.getValue()); })
        .Case([&](BoolAttr a) { json.value(a.getValue()); })
        .Case([&](IntegerAttr a) { integer(a); })
        .Case([&](FloatAttr a) { number(a); })
        .Case([&](UnitAttr) { json.value(nullptr); })
        .Default([&](Attribute a) { refuse(a); });
  }

  Attribute refused;

private:
  void object(DictionaryAttr dictionary) {
    SmallVector<NamedAttribute> members(dictionary.getValue());
    llvm::sort(members, [](NamedAttribute a, NamedAttribute b) {
      return std::pair(rank(a.getName()), a.getName().getValue()) <
             std::pair(rank(b.getName()), b.getName().getValue());
    });
    json.object([&] {
      for (NamedAttribute member : members) {
        json.attributeBegin(member.getName());
        value(member.getValue());
        json.attributeEnd();
      }
    });
  }

  void integer(IntegerAttr attr) {
    if (attr.getValue().getSignificantBits() <= 64)
      json.value(attr.getValue().getSExtValue());
    else
      refuse(attr);
  }

  void number(FloatAttr attr) {
    if (attr.getValue().isFinite())
      json.value(attr.getValueAsDouble());
    else
      refuse(attr);
  }

  void refuse(Attribute attr) {
    if (!refused)
      refused = attr;
    json.value(nullptr);
  }

  llvm::json::OStream &json;
};

} // namespace

StringRef fa::producer() { return "fa-compile " FA_VERSION; }

FailureOr<std::string> fa::writeManifest(ModuleOp module, DictionaryAttr target,
                                         StringRef bodySha256) {
  auto manifest = module->getAttrOfType<DictionaryAttr>("fa.manifest");
  if (!manifest)
    return module.emitError("expects a dictionary 'fa.manifest' on the module");
  MLIRContext *context = module.getContext();
  NamedAttrList members(manifest);
  members.set("producer", StringAttr::get(context, producer()));
  members.set("target", target);
  members.set("body_sha256", StringAttr::get(context, bodySha256));

  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, /*IndentSize=*/1);
  Writer writer(json);
  writer.value(members.getDictionary(context));
  if (writer.refused)
    return module.emitError("expects strings, finite numbers, booleans, unit, "
                            "arrays and dictionaries in 'fa.manifest', got ")
           << writer.refused;
  return text;
}

std::string fa::sha256Hex(ArrayRef<StringRef> parts) {
  llvm::SHA256 hash;
  for (StringRef part : parts)
    hash.update(part);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string fa::emptySha256() { return std::string(64, '0'); }
