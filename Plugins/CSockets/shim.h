#pragma once
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

// Wrappers for calls that Swift cannot make: those that use a packed structure or cast a socket address.

// `epoll_event` is packed and contains a union, so Swift does not set its members.
static inline int lupine_epoll_control(int poll, int operation, int descriptor, uint32_t events) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  event.events = events;
  event.data.fd = descriptor;
  return epoll_ctl(poll, operation, descriptor, &event);
}

static inline int lupine_epoll_descriptor(const struct epoll_event *events, int index) {
  return events[index].data.fd;
}

static inline uint32_t lupine_epoll_readiness(const struct epoll_event *events, int index) {
  return events[index].events;
}

// Creates a stream socket that does not block; -1 on failure.
static inline int lupine_socket_open(int family) {
  return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

// Takes the next connection of a listener as a socket that does not block; -1 if there is none. The C library's own
// function is declared for _GNU_SOURCE alone.
static inline int lupine_socket_accept(int listener) {
  return (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// Fills a socket address from the 4 or 16 bytes of an IP address; returns its length.
static inline socklen_t lupine_socket_address(
    struct sockaddr_storage *storage, const uint8_t *bytes, int count, uint16_t port) {
  memset(storage, 0, sizeof *storage);
  if (count == 4) {
    struct sockaddr_in *address = (struct sockaddr_in *)storage;
    address->sin_family = AF_INET;
    address->sin_port = htons(port);
    memcpy(&address->sin_addr, bytes, 4);
    return sizeof *address;
  }
  struct sockaddr_in6 *address = (struct sockaddr_in6 *)storage;
  address->sin6_family = AF_INET6;
  address->sin6_port = htons(port);
  memcpy(&address->sin6_addr, bytes, 16);
  return sizeof *address;
}

// Returns the number of the interface with this name or number; 0 if there is none.
static inline unsigned int lupine_interface_number(const char *zone) {
  unsigned int scope = if_nametoindex(zone);
  char name[IF_NAMESIZE];
  if (scope == 0) {
    char *end;
    unsigned long number = strtoul(zone, &end, 10);
    if (*end == 0 && number <= UINT_MAX) scope = (unsigned int)number;
  }
  return scope && if_indextoname(scope, name) ? scope : 0;
}

// Connects to an address, whose zone is the name or the number of an interface, or NULL. Returns 0, or the error number.
static inline int lupine_socket_connect(
    int descriptor, const uint8_t *bytes, int count, const char *zone, uint16_t port) {
  struct sockaddr_storage storage;
  socklen_t length = lupine_socket_address(&storage, bytes, count, port);
  if (zone) {
    unsigned int scope = lupine_interface_number(zone);
    if (scope == 0 || count != 16) return ENODEV;
    ((struct sockaddr_in6 *)&storage)->sin6_scope_id = scope;
  }
  return connect(descriptor, (struct sockaddr *)&storage, length) == 0 ? 0 : errno;
}

// Returns 0, or the error number.
static inline int lupine_socket_bind(int descriptor, const uint8_t *bytes, int count) {
  struct sockaddr_storage storage;
  socklen_t length = lupine_socket_address(&storage, bytes, count, 0);
  return bind(descriptor, (struct sockaddr *)&storage, length) == 0 ? 0 : errno;
}

// Connects to a Unix-domain socket; returns 0, or the error number.
static inline int lupine_socket_connect_path(int descriptor, const char *path, size_t length) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  if (length >= sizeof address.sun_path) return ENAMETOOLONG;
  memcpy(address.sun_path, path, length);
  return connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
}

// Returns 0 for a connected socket, EINPROGRESS before that, or the error number of a failure.
static inline int lupine_socket_state(int descriptor) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  if (error != 0) return error;
  struct sockaddr_storage storage;
  socklen_t length = sizeof storage;
  if (getpeername(descriptor, (struct sockaddr *)&storage, &length) == 0) return 0;
  return errno == ENOTCONN ? EINPROGRESS : errno;
}

static inline void lupine_socket_send_at_once(int descriptor) {
  int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Makes the kernel send keep-alive probes after this many idle seconds, and as often.
static inline void lupine_socket_probe(int descriptor, int seconds) {
  int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof seconds);
}

static inline ssize_t lupine_socket_send(int descriptor, const void *bytes, size_t count) {
  return send(descriptor, bytes, count, MSG_NOSIGNAL);
}

static inline ssize_t lupine_socket_receive(int descriptor, void *bytes, size_t room) {
  return recv(descriptor, bytes, room, 0);
}

// Whether an open socket has no byte to read.
static inline int lupine_socket_is_quiet(int descriptor) {
  uint8_t byte;
  return recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

// The number of processors in the affinity mask of the process's first thread; 0 if the kernel does not tell. The C
// library's own function is declared for _GNU_SOURCE alone.
static inline int lupine_allowed_processors(void) {
  unsigned char mask[8192];
  long size = syscall(SYS_sched_getaffinity, getpid(), sizeof mask, mask);
  int count = 0;
  for (long index = 0; index < size; index++) count += __builtin_popcount(mask[index]);
  return count;
}
