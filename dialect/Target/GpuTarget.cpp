// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/GpuTarget.h"

namespace fa::target {

// Sources. Shared memory, registers, threads: CUDA C++ Programming Guide, table
// "Technical Specifications per Compute Capability" (163 / 99 / 99 / 227 KB a
// block, 164 / 100 / 100 / 228 KB an SM). PTX versions: PTX ISA, directive
// `.target` (7.0, 7.1, 7.8, and 8.0 for sm_90a). cp.async: PTX ISA, from sm_80.
// cp.async.bulk.tensor: from sm_90. wgmma, setmaxnreg: sm_90a only.
static constexpr GpuTarget kTargets[] = {
    {/*chip=*/"sm_80", /*sharedBytesPerBlock=*/163 * 1024,
     /*sharedBytesPerSm=*/164 * 1024, /*registersPerSm=*/65536,
     /*registersPerThread=*/255, /*threadsPerBlock=*/1024,
     /*threadsPerSm=*/2048, /*ptxVersion=*/70, /*hasCpAsync=*/true,
     /*hasTma=*/false, /*hasWgmma=*/false},
    {/*chip=*/"sm_86", /*sharedBytesPerBlock=*/99 * 1024,
     /*sharedBytesPerSm=*/100 * 1024, /*registersPerSm=*/65536,
     /*registersPerThread=*/255, /*threadsPerBlock=*/1024,
     /*threadsPerSm=*/1536, /*ptxVersion=*/71, /*hasCpAsync=*/true,
     /*hasTma=*/false, /*hasWgmma=*/false},
    {/*chip=*/"sm_89", /*sharedBytesPerBlock=*/99 * 1024,
     /*sharedBytesPerSm=*/100 * 1024, /*registersPerSm=*/65536,
     /*registersPerThread=*/255, /*threadsPerBlock=*/1024,
     /*threadsPerSm=*/1536, /*ptxVersion=*/78, /*hasCpAsync=*/true,
     /*hasTma=*/false, /*hasWgmma=*/false},
    {/*chip=*/"sm_90a", /*sharedBytesPerBlock=*/227 * 1024,
     /*sharedBytesPerSm=*/228 * 1024, /*registersPerSm=*/65536,
     /*registersPerThread=*/255, /*threadsPerBlock=*/1024,
     /*threadsPerSm=*/2048, /*ptxVersion=*/80, /*hasCpAsync=*/true,
     /*hasTma=*/true, /*hasWgmma=*/true},
};

const GpuTarget *findGpuTarget(std::string_view chip) {
  for (const GpuTarget &target : kTargets)
    if (target.chip == chip)
      return &target;
  return nullptr;
}

std::string
knownGpuTargets(const std::function<bool(const GpuTarget &)> &fits) {
  std::string names;
  for (const GpuTarget &target : kTargets)
    if (!fits || fits(target))
      (names += names.empty() ? "" : ", ") += target.chip;
  return names;
}

} // namespace fa::target
