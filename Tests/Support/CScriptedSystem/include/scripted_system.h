#pragma once
#include <stdint.h>

// Replaces the C library's getaddrinfo, clock_gettime, time and getpeername in a program that links this library, and
// so in libcurl. Names below `.example` get only the scripted answers. Everything else behaves as in the C library
// until one of the functions below changes it.

/// Adds an address, as text, to the answers for names below `.example`.
///
/// Lookups get the answers in order; the last answer repeats. Without an answer, or with an empty one, a lookup fails.
void scripted_answer(const char *address);

/// The number of lookups of names below `.example`.
int32_t scripted_lookups(void);

/// Moves the clocks of this process forward by `seconds`, except the clocks that count processor time.
void scripted_advance(int64_t seconds);

/// Makes getpeername report this address for every IPv4 connection.
void scripted_peer(const char *address);
