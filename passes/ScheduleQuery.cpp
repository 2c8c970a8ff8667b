// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ScheduleQuery.h"

using namespace mlir;
using namespace mlir::fa;

::fa::target::ScheduleQuery mlir::fa::scheduleQuery(AttentionOp op,
                                                    StringRef chip) {
  MaskAttr mask = op.getMaskOrDefault();
  // Scores with such a scale are multiplied by it before their maximum is
  // taken.
  bool scaledFirst =
      op.getScale() && (op.getScale()->isNegative() || op.getScale()->isZero());
  bool region = op.hasScoreRegion() || op.hasKeepRegion();
  bool extras = scaledFirst || region || op.getQLengths() ||
                op.getKvLengths() || op.getSink() ||
                op.getOutputType().getElementTypeBitWidth() >
                    op.getQType().getElementTypeBitWidth();
  return {chip,
          op.getQType().getElementType().isBF16() ? "bf16" : "f16",
          op.getQkDim(),
          op.getVDim(),
          ::fa::target::maskClass(mask.getLeftBound().has_value(),
                                  mask.getRightBound().has_value()),
          extras,
          op.isPacked(),
          region};
}
