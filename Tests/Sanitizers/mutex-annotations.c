// Tells the thread sanitizer what `Synchronization.Mutex` does when it is contended.
//
// The compiler inlines a Mutex's fast path, one compare-and-exchange, into our code, where the sanitizer sees it. Under
// contention it calls three functions of libswiftSynchronization.so, which is not instrumented: the kernel then hands the
// lock over unseen, and everything the lock protects looks like a race. This library, preloaded, stands in front of the
// three and adds the missing edge on the very address the fast path uses. It adds nothing else, so what no lock protects
// is still reported. In a process without the sanitizer it only forwards.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*Lock)(uint32_t thread, SELF void *mutex);
typedef SWIFT bool (*TryLock)(SELF void *mutex);
typedef SWIFT void (*Unlock)(SELF void *mutex);

SWIFT void lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT bool tryLock(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT void unlock(SELF void *mutex) __asm__(UNLOCK);

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

// A second thread that gets here at the same time finds the same address, so a relaxed store is enough.
static void *next(_Atomic(void *) *known, const char *name) {
  void *function = __c11_atomic_load(known, __ATOMIC_RELAXED);
  if (function) return function;
  function = dlsym(RTLD_NEXT, name);
  if (!function) {
    fprintf(stderr, "mutex-annotations: no library after this one defines %s\n", name);
    abort();
  }
  __c11_atomic_store(known, function, __ATOMIC_RELAXED);
  return function;
}

SWIFT void lock(uint32_t thread, SELF void *mutex) {
  static _Atomic(void *) known;
  ((Lock)next(&known, LOCK))(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool tryLock(SELF void *mutex) {
  static _Atomic(void *) known;
  bool locked = ((TryLock)next(&known, TRY_LOCK))(mutex);
  if (locked && __tsan_acquire) __tsan_acquire(mutex);
  return locked;
}

SWIFT void unlock(SELF void *mutex) {
  static _Atomic(void *) known;
  if (__tsan_release) __tsan_release(mutex);
  ((Unlock)next(&known, UNLOCK))(mutex);
}
