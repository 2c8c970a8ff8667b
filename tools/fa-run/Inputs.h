// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The run's tensors: laid out as asked, inputs filled with seeded random
// numbers.
#ifndef FA_TOOLS_RUN_INPUTS_H
#define FA_TOOLS_RUN_INPUTS_H

#include "tools/fa-run/HostTensor.h"
#include "tools/fa-run/Shapes.h"

namespace fa::run {

/// The tensors of `artefact`, in its order; outputs poisoned.
std::vector<HostTensor> makeTensors(const Options &options,
                                    const Artefact &artefact,
                                    const Shapes &shapes);

/// The launch parameters that the user gave.
std::vector<fa_scalar> makeScalars(const Options &options,
                                   const Artefact &artefact);

HostTensor *findTensor(std::vector<HostTensor> &tensors,
                       const std::string &name);

/// The elements of a tensor of rank 1, none where it does not exist.
std::vector<double> vectorOf(std::vector<HostTensor> &tensors,
                             const std::string &name);

} // namespace fa::run

#endif
