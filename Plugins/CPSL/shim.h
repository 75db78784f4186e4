#pragma once
#include <libpsl.h>

// A name under no rule of the list is a public suffix by the rule `*`, private domains of the list included.
static inline int lupine_psl_is_public_suffix(const psl_ctx_t *list, const char *domain) {
  return psl_is_public_suffix2(list, domain, PSL_TYPE_ANY);
}
