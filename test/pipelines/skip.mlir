// A kernel without an optional step is complete.
// RUN: fa-compile %examples/attention-causal.mlir --skip=masked --stage=outlined | FileCheck %s --check-prefix=UNMASKED
// RUN: fa-compile %examples/attention-causal.mlir --skip=masked,pipelined | FileCheck %s --check-prefix=PTX
// RUN: not fa-compile %examples/attention-causal.mlir --skip=online 2>&1 | FileCheck %s --check-prefix=ERR

// UNMASKED: scf.for
// UNMASKED-NOT: scf.if
// PTX: .entry fa_attention_wide
// PTX: mma.sync
// ERR: expects optional stages to skip (masked, or pipelined on a GPU), got 'online'
