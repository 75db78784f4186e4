#pragma once
#include <stdint.h>

// Scripts the answers of the system, and makes its calls fail: in a program that links this library, and in its shared
// libraries. It scripts the lookups of names below `.example`, the addresses of peers and the clocks.
//
// It replaces the functions that `failing_fail` names, clock_gettime and time. They behave as in the C library until one
// of the functions below changes it, except that names below `.example` get only the scripted answers. A test bundle must
// not link this library.

/// Adds an address, as text, to the answers for names below `.example`.
///
/// Lookups get the answers in order; the last answer repeats. Without an answer, or with an empty one, a lookup fails.
void failing_answer(const char *address);

/// The number of lookups of names below `.example`.
int32_t failing_lookups(void);

/// Makes getpeername report this address for every IPv4 connection.
void failing_peer(const char *address);

/// Moves the clocks of this process forward by `seconds`, except the clocks that count processor time.
void failing_advance(int64_t seconds);

/// Makes the next call of a function fail with an error, once.
///
/// `call` is socket, connect, bind, setsockopt, getsockopt, getpeername, send, recv, peek (recv with MSG_PEEK), close,
/// epoll_create1, epoll_ctl, epoll_wait, eventfd, write, stat, fstat, access, pread, pthread_create or getaddrinfo;
/// calls of shared libraries do not fail. Or it is open, fopen or fgets; calls of shared libraries fail too. `error` is
/// an `errno`, or the result of getaddrinfo.
void failing_fail(const char *call, int32_t error);

/// As `failing_fail`, but leaves the next `skipped` calls of the function unchanged and makes the one after them fail.
void failing_fail_later(const char *call, int32_t error, int32_t skipped);

/// Whether the failure has happened.
int32_t failing_has_failed(void);

/// Whether the program itself, and not one of its shared libraries, waits for events in epoll_wait.
int32_t failing_is_waiting(void);

/// Cancels the failure unless it has happened; returns whether it has happened.
int32_t failing_cancel(void);
