// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt --split-input-file --verify-diagnostics --wg-pipeline=stages=-1 %s

// expected-error @+1 {{expects stages of 0 or more, got -1}}
module attributes {fa.stage = "values"} {}

// -----

// expected-error @+1 {{expects IR at stage values, got addressed}}
module attributes {fa.stage = "addressed"} {}
