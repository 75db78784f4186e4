#pragma once
#include <zlib.h>

// zlib's own names for these are macros, which Swift does not see.

static inline int lupine_inflate_init(z_stream *stream, int window_bits) {
  return inflateInit2(stream, window_bits);
}

static inline int lupine_deflate_init(z_stream *stream, int level, int window_bits) {
  return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}
