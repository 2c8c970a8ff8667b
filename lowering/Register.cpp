// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Register.h"

#include "dialect/Fa/FaDialect.h"
#include "dialect/Wg/WgDialect.h"
#include "lowering/Cpu/Passes.h"
#include "lowering/Embed/Passes.h"
#include "lowering/Ptx/EmitPtx.h"
#include "lowering/Ptx/Passes.h"
#include "lowering/Reference/Passes.h"
#include "lowering/WgToNvvm/Passes.h"
#include "passes/Passes.h"
#include "passes/Pipelines.h"
#include "passes/Raise/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

using namespace mlir;

void mlir::fa::registerDialects(DialectRegistry &registry) {
  registry.insert<FaDialect, wg::WgDialect>();
  registerBufferizableOpInterface(registry);
  registerPtxTranslations(registry);
}

void mlir::fa::registerPasses() {
  registerFaPasses();
  registerFaRaisePasses();
  registerFaPipelines();
  registerCpuPasses();
  registerNvvmPasses();
  registerFaPtxPasses();
  registerReferencePasses();
  registerFaEmbedPasses();
}

void mlir::fa::registerEverything(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllPasses();
  registerDialects(registry);
  registerPasses();
}
