#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets up a Debian 12 machine and builds: bash tools/setup.sh [--ptxas] [PRESET [TARGET...]]
# PRESET is dev (into build/), sanitize or tsan (into build/PRESET) of CMakePresets.json. Installs only what is missing;
# --ptxas also installs the assembler that tests feed PTX to. For an LLVM that is not Debian's, FA_SKIP_PACKAGES=1 leaves
# the system's packages alone, and FA_CMAKE_ARGS are more arguments for CMake where a build is configured.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# clang-22 compiles, lld-22 links (and liblld links CPU artefacts inside fa-compile), llvm-22-tools has FileCheck and
# lit, mlir-22-tools mlir-tblgen; LLVM's CMake files ask for the headers of zlib, zstd and libxml2. The tests of
# runtime/python need numpy, and what pip needs to install from a source tree.
packages=(
  clang-22 lld-22 liblld-22-dev llvm-22-dev llvm-22-tools mlir-22-tools libmlir-22-dev libclang-rt-22-dev
  clang-format-22 cmake ninja-build libgtest-dev libgmock-dev zlib1g-dev libzstd-dev libxml2-dev
  git python3 python3-venv ca-certificates
  python3-numpy python3-pip python3-setuptools python3-wheel
)
ptxas_wheel=nvidia-cuda-nvcc==13.0.88

say() { printf '== %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "this needs root and there is no sudo; as root run: $*"
  fi
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
  done
}

install_packages() {
  [ -z "${FA_SKIP_PACKAGES:-}" ] || return 0
  command -v apt-get >/dev/null ||
    fail "expects Debian 12, got a system without apt-get; README.md tells how to build against another LLVM 22.1"
  local missing
  missing=$(missing_packages)
  [ -n "$missing" ] || return 0
  say "installing ${missing% }"
  as_root apt-get update -q
  # shellcheck disable=SC2086 # one word a package
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing ||
    fail "apt-get could not install: ${missing% }"
}

# build PRESET [target...]: configures where that has not been done, and builds.
build() {
  local preset=$1 dir=$root/build launcher=()
  shift
  [ "$preset" = dev ] || dir=$root/build/$preset
  if command -v ccache >/dev/null; then
    export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  if [ ! -f "$dir/build.ninja" ]; then
    say "configuring ${dir#"$root"/}"
    mkdir -p "$dir"
    # shellcheck disable=SC2086 # FA_CMAKE_ARGS are words
    (cd "$root" && cmake --preset "$preset" "${launcher[@]}" ${FA_CMAKE_ARGS:-}) >"$dir/configure.log" 2>&1 || {
      cat "$dir/configure.log" >&2
      fail "CMake failed"
    }
  fi
  say "building ${dir#"$root"/}"
  cmake --build "$dir" --target "${@:-all}"
}

# Debian has no package of ptxas; the wheel is 37 MB.
install_ptxas() {
  local venv=$root/build/ptxas-venv found
  if command -v ptxas >/dev/null || [ -x "$venv/bin/ptxas" ]; then return 0; fi
  say "installing ptxas ($ptxas_wheel) into build/ptxas-venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" --quiet --disable-pip-version-check install --no-deps "$ptxas_wheel"
  found=$(find "$venv/lib" -name ptxas -type f | head -n 1)
  [ -n "$found" ] || fail "expects a ptxas in $ptxas_wheel, got none"
  chmod +x "$found"
  ln -sf "$found" "$venv/bin/ptxas"
}

install_packages
if [ "${1:-}" = --ptxas ]; then
  shift
  install_ptxas
fi
build "${@:-dev}"
