/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* compile IN.mlir OUT CHIP [OPTIONS]: fa-compile by the C API. */
#include "lowering/CApi/fa_compiler.h"

#include <stdio.h>
#include <stdlib.h>

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *text;
  if (!file)
    return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  text = malloc(*size + 1);
  if (text && fread(text, 1, *size, file) != *size)
    *size = 0;
  fclose(file);
  return text;
}

int main(int argc, char **argv) {
  size_t size = 0;
  char *text;
  int ok;
  if (argc < 4 || !(text = read_file(argv[1], &size))) {
    fprintf(stderr, "usage: compile IN.mlir OUT CHIP [OPTIONS]\n");
    return 2;
  }
  if (fa_compiler_version() / 1000 != FA_COMPILER_VERSION / 1000)
    return 2;
  /* embed: begin c */
  fa_compilation *c =
      fa_compile(text, size, argv[1], argv[3], argc > 4 ? argv[4] : NULL);
  fputs(fa_compilation_messages(c), stderr);
  ok = fa_compilation_ok(c);
  if (ok) {
    FILE *out = fopen(argv[2], "wb");
    if (out) {
      fwrite(fa_compilation_bytes(c), 1, fa_compilation_size(c), out);
      fclose(out);
    }
  }
  fa_compilation_destroy(c);
  /* embed: end c */
  free(text);
  return !ok;
}
