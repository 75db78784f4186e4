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

size_t __sanitizer_get_current_allocated_bytes(void);

/// The number of bytes that the program has allocated and not freed, as the address sanitizer counts them.
static inline ptrdiff_t allocatedByteCount(void) { return (ptrdiff_t)__sanitizer_get_current_allocated_bytes(); }
