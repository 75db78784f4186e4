#pragma once
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// Wrappers for calls that Swift cannot make: those that cast a socket address, and the variadic `syscall`.

static inline int lupine_netlink_open(void) {
  return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
}

static inline int lupine_netlink_bind(int descriptor, uint32_t groups) {
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
  return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

/// Returns the socket's port ID; 0 on failure.
static inline uint32_t lupine_netlink_port(int descriptor) {
  struct sockaddr_nl address = {0};
  socklen_t length = sizeof address;
  if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) return 0;
  return address.nl_pid;
}

/// Receives a datagram; returns its full length, which may exceed `count`, or -1; `sender` is 0 for the kernel.
static inline ssize_t lupine_netlink_receive(int descriptor, void *bytes, size_t count, int flags, uint32_t *sender) {
  struct sockaddr_nl address = {0};
  socklen_t length = sizeof address;
  ssize_t received = recvfrom(descriptor, bytes, count, flags | MSG_TRUNC, (struct sockaddr *)&address, &length);
  *sender = address.nl_pid;
  return received;
}

static inline ssize_t lupine_netlink_send(int descriptor, const void *bytes, size_t count) {
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  return sendto(descriptor, bytes, count, MSG_NOSIGNAL, (struct sockaddr *)&kernel, sizeof kernel);
}

/// Moves the calling thread into the network namespace of a descriptor; returns 0, or -1 with errno.
static inline int lupine_enter_network_namespace(int descriptor) {
  return (int)syscall(SYS_setns, descriptor, CLONE_NEWNET);
}
