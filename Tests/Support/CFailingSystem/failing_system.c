#define _GNU_SOURCE
#include "failing_system.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ANSWERS = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char answers[MOST_ANSWERS][INET6_ADDRSTRLEN];
static int32_t answer_count, next_answer, lookup_count;
static _Atomic int64_t seconds_ahead;
static _Atomic uint32_t peer_address;

void failing_answer(const char *address) {
  pthread_mutex_lock(&lock);
  if (answer_count < MOST_ANSWERS) snprintf(answers[answer_count++], INET6_ADDRSTRLEN, "%s", address);
  pthread_mutex_unlock(&lock);
}

int32_t failing_lookups(void) {
  pthread_mutex_lock(&lock);
  int32_t count = lookup_count;
  pthread_mutex_unlock(&lock);
  return count;
}

void failing_peer(const char *address) { atomic_store(&peer_address, inet_addr(address)); }

void failing_advance(int64_t seconds) { atomic_fetch_add(&seconds_ahead, seconds); }

static char failing_call[32];
static int32_t failing_error, skipped_calls;
static _Atomic int32_t has_failed = 1, waiting_count;

void failing_fail(const char *call, int32_t error) { failing_fail_later(call, error, 0); }

void failing_fail_later(const char *call, int32_t error, int32_t skipped) {
  pthread_mutex_lock(&lock);
  snprintf(failing_call, sizeof failing_call, "%s", call);
  failing_error = error;
  skipped_calls = skipped;
  pthread_mutex_unlock(&lock);
  atomic_store(&has_failed, 0);
}

int32_t failing_has_failed(void) { return atomic_load(&has_failed); }

int32_t failing_is_waiting(void) { return atomic_load(&waiting_count) > 0; }

int32_t failing_cancel(void) { return atomic_exchange(&has_failed, 1); }

/// Whether the program itself contains an address, and not one of its shared libraries.
static int is_of_program(const void *address) {
  Dl_info caller, program;
  return dladdr(address, &caller) != 0 && dladdr((void *)failing_fail, &program) != 0 &&
         caller.dli_fbase == program.dli_fbase;
}

/// The error with which this call fails; 0 if it does not.
static int32_t failure_of(const char *call) {
  if (atomic_load(&has_failed)) return 0;
  pthread_mutex_lock(&lock);
  int32_t error = strcmp(call, failing_call) == 0 ? failing_error : 0;
  if (error != 0 && skipped_calls > 0) {
    skipped_calls -= 1;
    error = 0;
  }
  pthread_mutex_unlock(&lock);
  int32_t expected = 0;
  return error != 0 && atomic_compare_exchange_strong(&has_failed, &expected, 1) ? error : 0;
}

/// As `failure_of`, but calls of shared libraries do not fail.
static int32_t failure(const char *call, const void *caller) {
  return !atomic_load(&has_failed) && is_of_program(caller) ? failure_of(call) : 0;
}

#define FAIL(call)                                                \
  int32_t error = failure(call, __builtin_return_address(0));     \
  if (error != 0) {                                               \
    errno = error;                                                \
    return -1;                                                    \
  }

static int is_scripted(const char *name) {
  static const char ending[] = ".example";
  size_t length = name ? strlen(name) : 0;
  return length >= sizeof ending && strcmp(name + length - (sizeof ending - 1), ending) == 0;
}

typedef int (*resolver)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  int32_t error = failure("getaddrinfo", __builtin_return_address(0));
  if (error != 0) return error;
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
  FAIL("getpeername")
  int code = (int)syscall(SYS_getpeername, descriptor, address, length);
  uint32_t peer = atomic_load(&peer_address);
  if (code == 0 && peer != 0 && address->sa_family == AF_INET) ((struct sockaddr_in *)address)->sin_addr.s_addr = peer;
  return code;
}

int socket(int family, int type, int protocol) {
  FAIL("socket")
  return (int)syscall(SYS_socket, family, type, protocol);
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  FAIL("connect")
  return (int)syscall(SYS_connect, descriptor, address, length);
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
  FAIL("bind")
  return (int)syscall(SYS_bind, descriptor, address, length);
}

int setsockopt(int descriptor, int level, int name, const void *value, socklen_t length) {
  FAIL("setsockopt")
  return (int)syscall(SYS_setsockopt, descriptor, level, name, value, length);
}

int getsockopt(int descriptor, int level, int name, void *value, socklen_t *length) {
  FAIL("getsockopt")
  return (int)syscall(SYS_getsockopt, descriptor, level, name, value, length);
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
  FAIL("send")
  return syscall(SYS_sendto, descriptor, bytes, count, flags, NULL, 0);
}

ssize_t recv(int descriptor, void *bytes, size_t count, int flags) {
  FAIL((flags & MSG_PEEK) != 0 ? "peek" : "recv")
  return syscall(SYS_recvfrom, descriptor, bytes, count, flags, NULL, NULL);
}

// Linux frees the descriptor even if close fails.
int close(int descriptor) {
  int code = (int)syscall(SYS_close, descriptor);
  FAIL("close")
  return code;
}

int epoll_create1(int flags) {
  FAIL("epoll_create1")
  return (int)syscall(SYS_epoll_create1, flags);
}

int epoll_ctl(int poll, int operation, int descriptor, struct epoll_event *event) {
  FAIL("epoll_ctl")
  return (int)syscall(SYS_epoll_ctl, poll, operation, descriptor, event);
}

int epoll_wait(int poll, struct epoll_event *events, int count, int milliseconds) {
  FAIL("epoll_wait")
  int waits = milliseconds != 0 && is_of_program(__builtin_return_address(0));
  if (waits) atomic_fetch_add(&waiting_count, 1);
  int code = (int)syscall(SYS_epoll_pwait, poll, events, count, milliseconds, NULL, (size_t)8);
  if (waits) atomic_fetch_sub(&waiting_count, 1);
  return code;
}

int eventfd(unsigned int value, int flags) {
  FAIL("eventfd")
  return (int)syscall(SYS_eventfd2, value, flags);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  FAIL("write")
  return syscall(SYS_write, descriptor, bytes, count);
}

int stat(const char *restrict path, struct stat *restrict status) {
  FAIL("stat")
  return fstatat(AT_FDCWD, path, status, 0);
}

int fstat(int descriptor, struct stat *status) {
  FAIL("fstat")
  return fstatat(descriptor, "", status, AT_EMPTY_PATH);
}

int access(const char *path, int mode) {
  FAIL("access")
  return (int)syscall(SYS_access, path, mode);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  FAIL("pread")
  return syscall(SYS_pread64, descriptor, bytes, count, offset);
}

// Swift's library calls open for the program, and OpenSSL calls fopen and fgets.
int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  int32_t error = failure_of("open");
  if (error == 0) return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  errno = error;
  return -1;
}

typedef FILE *(*file_opener)(const char *, const char *);

FILE *fopen(const char *restrict path, const char *restrict mode) {
  int32_t error = failure_of("fopen");
  if (error == 0) return ((file_opener)dlsym(RTLD_NEXT, "fopen"))(path, mode);
  errno = error;
  return NULL;
}

FILE *fopen64(const char *restrict path, const char *restrict mode) {
  int32_t error = failure_of("fopen");
  if (error == 0) return ((file_opener)dlsym(RTLD_NEXT, "fopen64"))(path, mode);
  errno = error;
  return NULL;
}

typedef char *(*line_reader)(char *, int, FILE *);

char *fgets(char *restrict text, int size, FILE *restrict file) {
  int32_t error = failure_of("fgets");
  if (error == 0) return ((line_reader)dlsym(RTLD_NEXT, "fgets"))(text, size, file);
  errno = error;
  return NULL;
}

typedef int (*thread_creator)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  int32_t error = failure("pthread_create", __builtin_return_address(0));
  if (error != 0) return error;
  thread_creator real = (thread_creator)dlsym(RTLD_NEXT, "pthread_create");
  return real(thread, attributes, start, argument);
}
