// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a kernel of the manifest.
#ifndef FA_RUNTIME_KERNELREADER_H
#define FA_RUNTIME_KERNELREADER_H

#include "runtime/Fields.h"
#include "runtime/Manifest.h"

namespace fa::rt {

void readExpr(Fields &fields, const char *name, const ExprScope &scope,
              bool wantBool, Expr &out);

class KernelReader {
public:
  /// Both have to be complete but for the kernels, and outlive the reader.
  KernelReader(const Manifest &manifest, const ExprScope &scope)
      : manifest(manifest), scope(scope) {}

  void read(Fields fields, KernelSpec &kernel);

private:
  void readPtxVersion(Fields &fields, KernelSpec &kernel);
  void readScratch(Fields fields, ScratchSpec &scratch);
  Status readParam(const Json &item, const std::string &path,
                   const KernelSpec &kernel, ParamSpec &param) const;
  Status readName(const Json &item, const std::string &path,
                  const KernelSpec &kernel, ParamSpec &param) const;
  Status readTensorMap(const Json &item, const std::string &path,
                       ParamSpec &param) const;
  bool isGpu() const { return manifest.target.kind == FA_CUDA; }

  const Manifest &manifest;
  const ExprScope &scope;
};

} // namespace fa::rt

#endif
