#pragma once
#include <stdint.h>

// A program that links this has its own getaddrinfo, clock_gettime, time and getpeername, which libcurl calls in the place of
// the C library's. They do what those do until a script says otherwise.

/// Adds an answer to those that names below `.example` get, one after the other; the last one stays. A number in text.
void scripted_answer(const char *address);

/// How many names below `.example` have been looked up.
int32_t scripted_lookups(void);

/// Moves every clock of this process alone, but those that count the processor's time, so many seconds on.
void scripted_advance(int64_t seconds);

/// From now on the peer of every IPv4 connection is said to be this address.
void scripted_peer(const char *address);
