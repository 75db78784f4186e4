#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/pkcs7.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <time.h>

// Swift imports neither function-like macros nor OpenSSL's typed stacks, which are macros as well.

typedef struct stack_st_X509 lupine_certificates;
typedef struct stack_st_X509_INFO lupine_infos;

static inline lupine_certificates *lupine_certificates_new(void) { return sk_X509_new_null(); }
static inline int lupine_certificates_count(const lupine_certificates *stack) { return stack ? sk_X509_num(stack) : 0; }
static inline X509 *lupine_certificates_at(const lupine_certificates *stack, int index) {
  return sk_X509_value(stack, index);
}
static inline void lupine_certificates_free(lupine_certificates *stack) { sk_X509_pop_free(stack, X509_free); }

// Adds a certificate to the stack, which takes its own reference. Returns 0 on failure.
static inline int lupine_certificates_add(lupine_certificates *stack, X509 *certificate) {
  if (!X509_up_ref(certificate)) return 0;
  if (sk_X509_push(stack, certificate) > 0) return 1;
  X509_free(certificate);
  return 0;
}

static inline int lupine_infos_count(const lupine_infos *infos) { return infos ? sk_X509_INFO_num(infos) : 0; }
static inline X509 *lupine_infos_certificate(const lupine_infos *infos, int index) {
  return sk_X509_INFO_value(infos, index)->x509;
}
static inline X509_CRL *lupine_infos_revocations(const lupine_infos *infos, int index) {
  return sk_X509_INFO_value(infos, index)->crl;
}
static inline void lupine_infos_free(lupine_infos *infos) { sk_X509_INFO_pop_free(infos, X509_INFO_free); }

static inline const lupine_certificates *lupine_pkcs7_certificates(const PKCS7 *message) {
  return message && PKCS7_type_is_signed(message) && message->d.sign ? message->d.sign->cert : NULL;
}

static inline long lupine_memory(BIO *bio, const char **bytes) { return BIO_get_mem_data(bio, (char **)bytes); }

static inline int lupine_print_name(BIO *bio, const X509_NAME *name) {
  return name ? X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253) : -1;
}

static inline int lupine_seconds(const ASN1_TIME *time, int64_t *seconds) {
  struct tm parts;
  if (!time || !ASN1_TIME_to_tm(time, &parts)) return 0;
  *seconds = timegm(&parts);
  return 1;
}


// Whether the certificate has the TLS feature extension with status_request (RFC 7633).
static inline int lupine_demands_staple(const X509 *certificate) {
  TLS_FEATURE *features = X509_get_ext_d2i(certificate, NID_tlsfeature, NULL, NULL);
  int demands = 0;
  for (int index = 0; features && index < sk_ASN1_INTEGER_num(features); index++)
    if (ASN1_INTEGER_get(sk_ASN1_INTEGER_value(features, index)) == TLSEXT_TYPE_status_request) demands = 1;
  TLS_FEATURE_free(features);
  return demands;
}

static inline GENERAL_NAMES *lupine_names(const X509 *certificate) {
  return X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}
static inline int lupine_names_count(const GENERAL_NAMES *names) { return names ? sk_GENERAL_NAME_num(names) : 0; }

// Returns the type of a name (2 for DNS, 7 for an IP address) and its bytes; 0 for other types.
static inline int lupine_name(const GENERAL_NAMES *names, int index, const uint8_t **bytes, int *count) {
  int kind = 0;
  void *value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, index), &kind);
  if (!value || (kind != GEN_DNS && kind != GEN_IPADD)) return 0;
  *bytes = ASN1_STRING_get0_data(value);
  *count = ASN1_STRING_length(value);
  return kind;
}

// Returns the excluded or the permitted subtrees of an authority's name constraints (RFC 5280 section 4.2.1.10).
static inline const struct stack_st_GENERAL_SUBTREE *lupine_subtrees(const NAME_CONSTRAINTS *constraints, int excluded) {
  return excluded ? constraints->excludedSubtrees : constraints->permittedSubtrees;
}
static inline int lupine_subtrees_count(const NAME_CONSTRAINTS *constraints, int excluded) {
  const struct stack_st_GENERAL_SUBTREE *subtrees = lupine_subtrees(constraints, excluded);
  return subtrees ? sk_GENERAL_SUBTREE_num(subtrees) : 0;
}

// Returns the type of a subtree (2 for DNS, 7 for an IP address) and its bytes; 0 for other types.
static inline int lupine_subtree(const NAME_CONSTRAINTS *constraints, int excluded, int index, const uint8_t **bytes,
                                 int *count) {
  int kind = 0;
  const GENERAL_SUBTREE *subtree = sk_GENERAL_SUBTREE_value(lupine_subtrees(constraints, excluded), index);
  void *value = subtree ? GENERAL_NAME_get0_value(subtree->base, &kind) : NULL;
  if (!value || (kind != GEN_DNS && kind != GEN_IPADD)) return 0;
  *bytes = ASN1_STRING_get0_data(value);
  *count = ASN1_STRING_length(value);
  return kind;
}

static inline int lupine_is_plain_revocation_list(X509_CRL *list) {
  // Rejects partial lists, delta lists and every list with a critical extension (RFC 5280 section 5.2).
  return X509_CRL_get_ext_by_NID(list, NID_issuing_distribution_point, -1) < 0
      && X509_CRL_get_ext_by_NID(list, NID_delta_crl, -1) < 0
      && X509_CRL_get_ext_by_critical(list, 1, -1) < 0;
}

typedef int (*lupine_verify_callback)(X509_STORE_CTX *context, void *argument);
typedef int (*lupine_status_callback)(SSL *connection, void *argument);

// Sets the function that OpenSSL calls with the stapled OCSP response of each connection that requests one.
static inline long lupine_receive_staples(SSL_CTX *context, lupine_status_callback callback) {
  return SSL_CTX_set_tlsext_status_cb(context, callback);
}

// Makes each connection of a context request a stapled OCSP response.
static inline long lupine_request_staples(SSL_CTX *context) {
  return SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp);
}

static inline long lupine_request_staple(SSL *connection) {
  return SSL_set_tlsext_status_type(connection, TLSEXT_STATUSTYPE_ocsp);
}

static inline long lupine_staple(SSL *connection, const uint8_t **bytes) {
  return SSL_get_tlsext_status_ocsp_resp(connection, bytes);
}

static inline int lupine_context_index(CRYPTO_EX_free *release) {
  return SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, release);
}

static inline int lupine_connection_index(CRYPTO_EX_free *release) {
  return SSL_get_ex_new_index(0, NULL, NULL, NULL, release);
}

// Sets the oldest and the newest version of TLS; 0 for the newest one means every newer version.
static inline long lupine_limit_versions(SSL *connection, int minimum, int maximum) {
  return SSL_set_min_proto_version(connection, minimum) && SSL_set_max_proto_version(connection, maximum);
}

// Prepares a context for connections that never block.
//
// A write may be repeated from another address, and reports each record. A peer cannot renegotiate (RFC 5246 section
// 7.4.1.1).
static inline void lupine_client_prepare(SSL_CTX *context, int minimum, int maximum) {
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_min_proto_version(context, minimum);
  SSL_CTX_set_max_proto_version(context, maximum);
}

// Limits the work that a peer can cause in one call of a client.
//
// The certificates of the peer may have this number of bytes. A read returns after each message of the handshake
// protocol, such as KeyUpdate.
static inline void lupine_limit_work(SSL_CTX *context, long certificate_bytes) {
  SSL_CTX_set_max_cert_list(context, certificate_bytes);
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
}

// Lets a read continue after a message of the handshake protocol, until it has content or no bytes are left.
static inline void lupine_read_on(SSL_CTX *context) { SSL_CTX_set_mode(context, SSL_MODE_AUTO_RETRY); }

// Sets the name of the server for its choice of a certificate (RFC 6066 section 3). Returns 0 on failure.
static inline long lupine_set_server_name(SSL *connection, const char *name) {
  return SSL_set_tlsext_host_name(connection, name);
}

static inline void lupine_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline void lupine_bio_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void lupine_bio_retry_write(BIO *bio) { BIO_set_retry_write(bio); }

typedef int (*lupine_session_callback)(SSL *connection, SSL_SESSION *session);

// Makes OpenSSL pass each session of a client to the callback, and keep none itself.
static inline void lupine_keep_sessions(SSL_CTX *context, lupine_session_callback callback) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, callback);
}

// Sets the groups of the key exchange that a context offers, the preferred one first. Returns 0 on failure.
static inline long lupine_set_groups(SSL_CTX *context, const char *names) {
  return SSL_CTX_set1_groups_list(context, names);
}

static inline int lupine_ciphers_count(const SSL_CTX *context) {
  return sk_SSL_CIPHER_num(SSL_CTX_get_ciphers(context));
}

// Returns a cipher suite that a context offers.
static inline const SSL_CIPHER *lupine_cipher_at(const SSL_CTX *context, int index) {
  return sk_SSL_CIPHER_value(SSL_CTX_get_ciphers(context), index);
}

// Whether the key exchange of a cipher suite is Diffie-Hellman over a finite field that the server chooses.
static inline int lupine_cipher_has_finite_field(const SSL_CIPHER *cipher) {
  int exchange = SSL_CIPHER_get_kx_nid(cipher);
  return exchange == NID_kx_dhe || exchange == NID_kx_dhe_psk;
}

// Returns the size in bits of the RSA key of a certificate; 0 for any other key, and for one that OpenSSL cannot read.
static inline int lupine_rsa_bits(const X509 *certificate) {
  EVP_PKEY *key = X509_get0_pubkey(certificate);
  if (!key) ERR_clear_error();
  int kind = key ? EVP_PKEY_get_base_id(key) : NID_undef;
  return kind == EVP_PKEY_RSA || kind == EVP_PKEY_RSA_PSS ? EVP_PKEY_get_bits(key) : 0;
}

typedef int (*lupine_security_callback)(const SSL *connection, const SSL_CTX *context, int operation, int bits, int nid,
                                        void *value, void *argument);

// Whether a security callback decides about a finite field that the server has chosen. Its value is the server's key.
static inline int lupine_is_finite_field_choice(int operation) { return operation == SSL_SECOP_TMP_DH; }

static inline int lupine_key_bits(const void *key) { return EVP_PKEY_get_bits((const EVP_PKEY *)key); }

static inline const char *lupine_cipher(const SSL *connection) {
  return SSL_CIPHER_get_name(SSL_get_current_cipher(connection));
}
