# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit suite `fa`: every text test of this folder. test/README.md says how to write and run them."""

import importlib.util
import os
import shutil

import lit.formats

# lit started on a source file finds this file before the configured one of the
# build tree (FA_BUILD, else ./build), so hand over to that one.
if not hasattr(config, "fa_obj_root"):
    here = os.path.dirname(os.path.abspath(__file__))
    build = os.environ.get("FA_BUILD") or os.path.join(os.path.dirname(here), "build")
    site = os.path.join(build, "test", "lit.site.cfg.py")
    if not os.path.exists(site):
        lit_config.fatal(f"no configured build in {build}: run `cmake --preset dev`, or set FA_BUILD")
    lit_config.load_config(config, site)
    raise SystemExit  # the configured file has loaded this one again

config.name = "fa"
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit", "CMakeLists.txt", "README.md"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(config.fa_obj_root, "test")

# Tools by their plain names: ours first, then those of the LLVM we build on.
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.fa_obj_root, "bin"), config.llvm_tools_dir, config.environment["PATH"]]
)
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"

config.substitutions += [
    ("%python", config.python),
    ("%cc", config.cc),
    ("%mlir_lib_dir", config.mlir_lib_dir),
    ("%cxx", config.cxx),
    ("%fa_src", config.fa_src_root),
    ("%fa_obj", config.fa_obj_root),
    ("%examples", os.path.join(config.test_source_root, "examples")),
]
if os.environ.get("FA_ROUNDTRIP"):
    config.substitutions.append((r"(?<![\w/-])fa-opt\b(?!-)", "fa-opt --verify-roundtrip"))


def find_ptxas():
    """ptxas on the PATH, else the one that tools/setup.sh put under build/."""
    pinned = os.path.join(config.fa_src_root, "build", "ptxas-venv", "bin", "ptxas")
    return shutil.which("ptxas") or (pinned if os.path.exists(pinned) else None)


def cpu_flags():
    """What this processor has, as Linux names it."""
    try:
        with open("/proc/cpuinfo") as info:
            return next((set(line.split()) for line in info if line.startswith("flags")), set())
    except OSError:
        return set()


def has_gpu():
    """Whether a CUDA driver is installed and finds a device."""
    import ctypes

    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


ptxas = find_ptxas()
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
flags = cpu_flags()
v3 = {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}
v4 = v3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
for level, needed in (("cpu-v3", v3), ("cpu-v4", v4)):
    if needed <= flags:
        config.available_features.add(level)
if has_gpu():
    config.available_features.add("gpu")
if importlib.util.find_spec("numpy"):
    config.available_features.add("numpy")
# `sanitized`: our binaries carry a sanitizer's run-time library.
if config.fa_sanitize:
    config.available_features.add("sanitized")
