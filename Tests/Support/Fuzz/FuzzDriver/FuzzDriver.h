#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(
  int *_Nonnull count, char *_Nullable *_Nullable *_Nonnull arguments,
  int (*_Nonnull test)(const uint8_t *_Nullable, size_t));

/// Runs libFuzzer's loop in a program that has its own `main`.
static inline int runLibFuzzer(
  int *_Nonnull count, char *_Nullable *_Nullable *_Nonnull arguments,
  int (*_Nonnull test)(const uint8_t *_Nullable, size_t)) {
  return LLVMFuzzerRunDriver(count, arguments, test);
}
