#define _GNU_SOURCE
#include "scripted_system.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ANSWERS = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char answers[MOST_ANSWERS][INET6_ADDRSTRLEN];
static int32_t answer_count, next_answer, lookup_count;
static _Atomic int64_t seconds_ahead;
static _Atomic uint32_t peer_address;

void scripted_answer(const char *address) {
  pthread_mutex_lock(&lock);
  if (answer_count < MOST_ANSWERS) snprintf(answers[answer_count++], INET6_ADDRSTRLEN, "%s", address);
  pthread_mutex_unlock(&lock);
}

int32_t scripted_lookups(void) {
  pthread_mutex_lock(&lock);
  int32_t count = lookup_count;
  pthread_mutex_unlock(&lock);
  return count;
}

void scripted_advance(int64_t seconds) { atomic_fetch_add(&seconds_ahead, seconds); }

void scripted_peer(const char *address) { atomic_store(&peer_address, inet_addr(address)); }

static int is_scripted(const char *name) {
  static const char ending[] = ".example";
  size_t length = name ? strlen(name) : 0;
  return length >= sizeof ending && strcmp(name + length - (sizeof ending - 1), ending) == 0;
}

typedef int (*resolver)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  resolver real = (resolver)dlsym(RTLD_NEXT, "getaddrinfo");
  if (!is_scripted(name)) return real(name, service, hints, result);
  char answer[INET6_ADDRSTRLEN];
  pthread_mutex_lock(&lock);
  lookup_count += 1;
  memcpy(answer, answers[next_answer], sizeof answer);
  if (next_answer + 1 < answer_count) next_answer += 1;
  pthread_mutex_unlock(&lock);
  if (answer[0] == 0) return EAI_NONAME;
  struct addrinfo numeric = {0};
  if (hints) numeric = *hints;
  numeric.ai_flags = (numeric.ai_flags | AI_NUMERICHOST) & ~AI_ADDRCONFIG;
  return real(answer, service, &numeric, result);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int code = (int)syscall(SYS_clock_gettime, clock, time);
  if (code == 0 && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID)
    time->tv_sec += atomic_load(&seconds_ahead);
  return code;
}

time_t time(time_t *seconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds) *seconds = now.tv_sec;
  return now.tv_sec;
}

int getpeername(int descriptor, struct sockaddr *address, socklen_t *length) {
  int code = (int)syscall(SYS_getpeername, descriptor, address, length);
  uint32_t peer = atomic_load(&peer_address);
  if (code == 0 && peer != 0 && address->sa_family == AF_INET) ((struct sockaddr_in *)address)->sin_addr.s_addr = peer;
  return code;
}
