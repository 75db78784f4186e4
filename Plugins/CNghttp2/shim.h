#pragma once
#include <nghttp2/nghttp2.h>

// A union, of which Swift cannot form the right member without unsafe casts.

static inline nghttp2_data_provider lupine_nghttp2_provider(nghttp2_data_source_read_callback read) {
  nghttp2_data_provider provider = {{0}, read};
  return provider;
}

static inline uint32_t lupine_nghttp2_reset_code(const nghttp2_frame *frame) { return frame->rst_stream.error_code; }

static inline uint32_t lupine_nghttp2_goaway_code(const nghttp2_frame *frame) { return frame->goaway.error_code; }

static inline int32_t lupine_nghttp2_headers_category(const nghttp2_frame *frame) { return frame->headers.cat; }
