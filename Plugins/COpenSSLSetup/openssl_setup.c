#include "openssl_setup.h"

#include <openssl/crypto.h>

__attribute__((constructor)) static void initialize_without_cleanup(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
