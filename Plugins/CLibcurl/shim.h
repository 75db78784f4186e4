#pragma once
#include <curl/curl.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// Swift cannot call variadic functions, so each argument type has its own wrapper.

typedef size_t (*lupine_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*lupine_prerequest_callback)(void *context, char *remote, char *local, int remotePort, int localPort);
typedef int (*lupine_debug_callback)(CURL *easy, curl_infotype kind, char *bytes, size_t count, void *context);
typedef curl_socket_t (*lupine_open_callback)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*lupine_close_callback)(void *context, curl_socket_t socket);

static inline CURLcode lupine_easy_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode lupine_easy_set_size(CURL *easy, CURLoption option, int64_t value) {
  return curl_easy_setopt(easy, option, (curl_off_t)value);
}

// Swift does not import this macro, because it contains a cast.
static const long lupine_auth_basic = (long)CURLAUTH_BASIC;

static inline CURLcode lupine_easy_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode lupine_easy_set_pointer(CURL *easy, CURLoption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode lupine_easy_set_fields(CURL *easy, struct curl_slist *fields) {
  return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
}

static inline CURLcode lupine_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
  return curl_easy_setopt(easy, option, list);
}

static inline CURLcode lupine_easy_set_url(CURL *easy, CURLU *url) {
  return curl_easy_setopt(easy, CURLOPT_CURLU, url);
}

static inline CURLcode lupine_easy_set_data_callback(CURL *easy, CURLoption option, lupine_data_callback callback) {
  return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode lupine_easy_set_debug(CURL *easy, lupine_debug_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
}

static inline CURLcode lupine_easy_set_prerequest(CURL *easy, lupine_prerequest_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode lupine_easy_set_lookup_callback(
    CURL *easy, curl_resolver_start_callback callback, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, callback);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_RESOLVER_START_DATA, context);
  return code;
}

static inline CURLcode lupine_easy_set_socket_callbacks(
    CURL *easy, lupine_open_callback open, void *opener, lupine_close_callback close, void *closer) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, opener);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, closer);
  return code;
}

static inline long lupine_easy_long(CURL *easy, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

static inline int64_t lupine_easy_size(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

static inline const char *lupine_easy_string(CURL *easy, CURLINFO info) {
  char *value = NULL;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : NULL;
}

static inline void *lupine_easy_private(CURL *easy) {
  char *value = NULL;
  return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

static inline CURLMcode lupine_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode lupine_multi_set_callbacks(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return code;
}

// Reads the result of a finished transfer from its union.
static inline CURLcode lupine_message_result(const CURLMsg *message) { return message->data.result; }

static inline int lupine_open_socket(const struct curl_sockaddr *address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Returns the bytes of an IPv4 or IPv6 address; NULL for other address families.
static inline const uint8_t *lupine_address_bytes(const struct curl_sockaddr *address, int *count) {
  if (address->family == AF_INET) {
    *count = 4;
    return (const uint8_t *)&((const struct sockaddr_in *)&address->addr)->sin_addr;
  }
  if (address->family != AF_INET6) return NULL;
  *count = 16;
  return (const uint8_t *)&((const struct sockaddr_in6 *)&address->addr)->sin6_addr;
}

// The C library declares this function only with `_GNU_SOURCE`.
extern int dup3(int descriptor, int target, int flags);

// Replaces an open descriptor in one step, so that a concurrent `fork` inherits either the old or the new socket.
static inline int lupine_replace(int target, int descriptor) { return dup3(descriptor, target, O_CLOEXEC); }

// Returns a socket whose peer is closed; -1 on failure.
static inline int lupine_dead_socket(void) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return -1;
  close(pair[1]);
  return pair[0];
}

static inline int lupine_easy_descriptor(CURL *easy) {
  curl_socket_t value = CURL_SOCKET_BAD;
  return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &value) == CURLE_OK ? value : -1;
}

// Returns the number of unread bytes in the receive buffer of a connection.
static inline int lupine_bytes_waiting(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) == 0 ? count : 0;
}

// Returns the number of bytes read from a connection; -1 if the system does not count them.
static inline int64_t lupine_bytes_read(int descriptor) {
  // The C library's `tcp_info` ends before `tcpi_bytes_received`.
  struct {
    uint8_t before[128];
    uint64_t received;
  } info;
  socklen_t length = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || length < sizeof info) return -1;
  int64_t count = (int64_t)info.received - lupine_bytes_waiting(descriptor);
  return count < 0 ? 0 : count;
}

// Returns the number of bytes written to a connection; -1 if the system does not count them.
static inline int64_t lupine_bytes_sent(int descriptor) {
  struct {
    uint8_t before[120];
    uint64_t acknowledged;
  } info;
  socklen_t length = sizeof info;
  int waiting = 0;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || length < sizeof info) return -1;
  if (ioctl(descriptor, TIOCOUTQ, &waiting) != 0) return -1;
  return (int64_t)info.acknowledged + waiting;
}

typedef CURLcode (*lupine_ssl_context_callback)(CURL *easy, void *context, void *argument);

static inline CURLcode lupine_easy_set_ssl_context_function(CURL *easy, lupine_ssl_context_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
}

// Returns the transfer's `SSL` object; NULL without TLS or with a TLS library other than OpenSSL.
static inline void *lupine_easy_tls(CURL *easy) {
  struct curl_tlssessioninfo *info = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info) return NULL;
  return info->backend == CURLSSLBACKEND_OPENSSL ? info->internals : NULL;
}

// Swift does not import macros that contain a cast.
static const unsigned long lupine_auth_ntlm = CURLAUTH_NTLM;
static const unsigned long lupine_auth_negotiate = CURLAUTH_NEGOTIATE;
