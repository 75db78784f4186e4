#pragma once
#include <stddef.h>
#include <stdint.h>

/// libFuzzer's loop, for programs that have a `main` of their own.
int LLVMFuzzerRunDriver(
  int *_Nonnull count, char *_Nullable *_Nonnull *_Nonnull arguments,
  int (*_Nonnull test)(const uint8_t *_Nullable, size_t));
