// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fa-run asks NVML for: one device, whose SM clock stands at 1234 MHz.
static int theDevice;

int nvmlInit_v2(void) { return 0; }

int nvmlShutdown(void) { return 0; }

int nvmlDeviceGetHandleByPciBusId_v2(const char *busId, void **handle) {
  *handle = &theDevice;
  return busId[0] ? 0 : 2;
}

int nvmlDeviceGetClockInfo(void *handle, int clock, unsigned *megahertz) {
  *megahertz = 1234;
  return handle == &theDevice && clock == 1 ? 0 : 2;
}
