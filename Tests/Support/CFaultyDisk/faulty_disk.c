#define _GNU_SOURCE
#include "faulty_disk.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

static faulty_disk_fault armed_fault;
static int32_t armed_error;
static bool armed_opens, armed_lasting;
// 0 when no fault is armed.
static _Atomic int32_t armed_call;
static _Atomic int32_t calls;
static _Atomic(const char *) failed_function;

void faulty_disk_arm(faulty_disk_fault fault, int32_t call, int32_t error, bool opens, bool lasting) {
  armed_fault = fault;
  armed_error = error;
  armed_opens = opens;
  armed_lasting = lasting;
  atomic_store(&calls, 0);
  atomic_store(&failed_function, NULL);
  atomic_store(&armed_call, call);
}

bool faulty_disk_disarm(void) {
  int32_t call = atomic_exchange(&armed_call, 0);
  return atomic_load(&calls) >= call;
}

const char *faulty_disk_failed_function(void) { return atomic_load(&failed_function); }

static void end_process(void) { kill(getpid(), SIGKILL); }

// Whether the call has the fault. A call that is to be torn is counted, and ends the process itself.
static bool has_fault(bool opens, const char *function) {
  int32_t call = atomic_load(&armed_call);
  if (call == 0 || opens != armed_opens) return false;
  int32_t number = atomic_fetch_add(&calls, 1) + 1;
  if (number != call && !(armed_lasting && number > call)) return false;
  if (number == call) atomic_store(&failed_function, function);
  if (armed_fault == FAULT_KILL) end_process();
  if (armed_fault == FAULT_ERROR) errno = armed_error;
  return true;
}

// The standard streams are the test's.
static bool counts(int descriptor) { return descriptor > 2; }

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (counts(descriptor) && has_fault(false, __func__)) {
    if (armed_fault == FAULT_ERROR) return -1;
    syscall(SYS_write, descriptor, bytes, count / 2);
    end_process();
  }
  return syscall(SYS_write, descriptor, bytes, count);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  if (has_fault(false, __func__)) {
    if (armed_fault == FAULT_ERROR) return -1;
    syscall(SYS_pwrite64, descriptor, bytes, count / 2, offset);
    end_process();
  }
  return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

// Runs a system call that writes no bytes.
#define CHANGE(...)                                     \
  bool fault = has_fault(false, __func__);              \
  if (fault && armed_fault == FAULT_ERROR) return -1;   \
  int result = (int)syscall(__VA_ARGS__);               \
  if (fault) end_process();                             \
  return result

int ftruncate64(int descriptor, off64_t length) { CHANGE(SYS_ftruncate, descriptor, length); }
int ftruncate(int descriptor, off_t length) { CHANGE(SYS_ftruncate, descriptor, length); }
static _Atomic int32_t flushes;

int32_t faulty_disk_flushes(void) { return atomic_load(&flushes); }

int fsync(int descriptor) {
  atomic_fetch_add(&flushes, 1);
  CHANGE(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
  atomic_fetch_add(&flushes, 1);
  CHANGE(SYS_fdatasync, descriptor);
}

int unlink(const char *path) { CHANGE(SYS_unlinkat, AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) { CHANGE(SYS_unlinkat, folder, path, flags); }
int rename(const char *from, const char *to) { CHANGE(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat2(int old_folder, const char *from, int new_folder, const char *to, unsigned int flags) {
  CHANGE(SYS_renameat2, old_folder, from, new_folder, to, flags);
}
int renameat(int old_folder, const char *from, int new_folder, const char *to) {
  CHANGE(SYS_renameat2, old_folder, from, new_folder, to, 0);
}
int linkat(int old_folder, const char *from, int new_folder, const char *to, int flags) {
  CHANGE(SYS_linkat, old_folder, from, new_folder, to, flags);
}
int mkdir(const char *path, mode_t mode) { CHANGE(SYS_mkdirat, AT_FDCWD, path, mode); }

static _Atomic int32_t lock_error;

void faulty_disk_refuse_locks(int32_t error) { atomic_store(&lock_error, error); }

int flock(int descriptor, int operation) {
  int32_t error = atomic_load(&lock_error);
  if (error != 0) {
    errno = error;
    return -1;
  }
  return (int)syscall(SYS_flock, descriptor, operation);
}

static _Atomic int32_t unnamed_error;

void faulty_disk_refuse_unnamed(int32_t error) { atomic_store(&unnamed_error, error); }

static int open_file(int folder, const char *path, int flags, mode_t mode) {
  // libdispatch looks at its threads there, and ends the process if it cannot.
  if (strncmp(path, "/proc/", 6) == 0) return (int)syscall(SYS_openat, folder, path, flags, mode);
  bool is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  bool creates = flags & O_CREAT || is_unnamed;
  int32_t error = atomic_load(&unnamed_error);
  if (is_unnamed && error != 0) {
    errno = error;
    return -1;
  }
  if (has_fault(true, "open")) {
    if (armed_fault == FAULT_ERROR) return -1;
    end_process();
  }
  if (creates && has_fault(false, "open")) {
    if (armed_fault == FAULT_ERROR) return -1;
    syscall(SYS_openat, folder, path, flags, mode);
    end_process();
  }
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define MODE(flags)                      \
  mode_t mode = 0;                       \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list list;                        \
    va_start(list, flags);               \
    mode = va_arg(list, mode_t);         \
    va_end(list);                        \
  }

int open(const char *path, int flags, ...) {
  MODE(flags)
  return open_file(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE(flags)
  return open_file(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  MODE(flags)
  return open_file(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
  MODE(flags)
  return open_file(folder, path, flags, mode);
}

DIR *opendir(const char *path) {
  int descriptor = open_file(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  return descriptor < 0 ? NULL : fdopendir(descriptor);
}
