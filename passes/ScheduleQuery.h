// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the schedule table is asked for an op.
#ifndef FA_PASSES_SCHEDULEQUERY_H
#define FA_PASSES_SCHEDULEQUERY_H

#include "dialect/Fa/FaDialect.h"
#include "dialect/Target/ScheduleTable.h"

namespace mlir::fa {
/// The question for `op` on `chip`, whose text the answer's reader keeps.
::fa::target::ScheduleQuery scheduleQuery(AttentionOp op, StringRef chip);
} // namespace mlir::fa

#endif // FA_PASSES_SCHEDULEQUERY_H
