#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(
  int *_Nonnull count, char *_Nullable *_Nullable *_Nonnull arguments,
  int (*_Nonnull test)(const uint8_t *_Nullable, size_t));

/// libFuzzer's loop, for programs that have a `main` of their own.
static inline int runLibFuzzer(
  int *_Nonnull count, char *_Nullable *_Nullable *_Nonnull arguments,
  int (*_Nonnull test)(const uint8_t *_Nullable, size_t)) {
  return LLVMFuzzerRunDriver(count, arguments, test);
}
