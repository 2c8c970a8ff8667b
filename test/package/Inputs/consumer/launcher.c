/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens an artefact and prints what it is for. */
#include "runtime/fa_runtime.h"

#include <stdio.h>

int main(int argc, char **argv) {
  fa_artifact *artifact;
  fa_target_info target;
  if (argc != 2 || fa_artifact_open(argv[1], &artifact) != FA_OK ||
      fa_artifact_target(artifact, &target) != FA_OK) {
    fprintf(stderr, "launcher: %s\n", fa_last_error());
    return 1;
  }
  printf("%s for %s\n", target.name, target.chip);
  fa_artifact_close(artifact);
  return 0;
}
