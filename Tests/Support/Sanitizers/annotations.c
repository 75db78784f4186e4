// Tells the thread sanitizer of two hand-overs that happen inside Swift's own libraries, which are not instrumented.
// Without it, what a contended Mutex protects, and what a continuation returns, looks like a race now and then.
//
// Preloaded, it stands in front of four functions and adds the missing edges, each on the address that the instrumented
// or annotated side already uses. It hides nothing: a race that neither a lock nor a continuation orders is still
// reported. In a process without the sanitizer it only forwards. Checked against Swift 6.3 by
// Tests/Support/Sanitizers/check.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define ASYNC __attribute__((swiftasynccall))
#define ASYNC_CONTEXT __attribute__((swift_async_context))

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static void acquire(void *address) {
  if (__tsan_acquire) __tsan_acquire(address);
}

static void release(void *address) {
  if (__tsan_release) __tsan_release(address);
}

// The function that this library hides. Two threads may look it up at once and find the same.
static void *hidden(_Atomic(void *) *known, const char *name) {
  void *function = __c11_atomic_load(known, __ATOMIC_RELAXED);
  if (function) return function;
  function = dlsym(RTLD_NEXT, name);
  if (!function) {
    fprintf(stderr, "Tests/Support/Sanitizers/annotations.c: no library defines %s\n", name);
    abort();
  }
  __c11_atomic_store(known, function, __ATOMIC_RELAXED);
  return function;
}

// Mutex. The fast path is one compare-and-exchange on the handle, inlined into our code, where the sanitizer sees it.
// Under contention our code calls these three with the handle, and the lock changes hands in the kernel.

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*Lock)(uint32_t thread, SELF void *handle);
typedef SWIFT bool (*TryLock)(SELF void *handle);
typedef SWIFT void (*Unlock)(SELF void *handle);

SWIFT void lock(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT bool tryLock(SELF void *handle) __asm__(TRY_LOCK);
SWIFT void unlock(SELF void *handle) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, SELF void *handle) {
  static _Atomic(void *) known;
  ((Lock)hidden(&known, LOCK))(thread, handle);
  acquire(handle);
}

SWIFT bool tryLock(SELF void *handle) {
  static _Atomic(void *) known;
  bool locked = ((TryLock)hidden(&known, TRY_LOCK))(handle);
  if (locked) acquire(handle);
  return locked;
}

SWIFT void unlock(SELF void *handle) {
  static _Atomic(void *) known;
  release(handle);
  ((Unlock)hidden(&known, UNLOCK))(handle);
}

// Continuation. The runtime itself tells the sanitizer that a resume releases the task and that a suspended task, when
// it runs again, acquires it. When the resume comes before the await, the task goes on without having been suspended,
// straight to the function that its context names, and the runtime forgets the acquire. So the context names `resumed`.

typedef struct Context Context;
typedef ASYNC void (*Function)(ASYNC_CONTEXT Context *context);
typedef ASYNC void (*Await)(Context *context);

struct Context {
  Context *parent;
  Function resumeParent;
  size_t flags;
};

// With this flag the runtime may go on elsewhere, as a job; it acquires those.
static const size_t forcesExecutorSwitch = 2;

// From the await to `resumed` no other await runs on the thread. A task that is suspended after all does not come back
// through its context: the runtime took note of where to go on when it made the continuation.
static _Thread_local Function afterAwait;

extern SWIFT void *swift_task_getCurrent(void) __attribute__((weak));

static ASYNC void resumed(ASYNC_CONTEXT Context *context) {
  context->resumeParent = afterAwait;
  acquire(swift_task_getCurrent());
  __attribute__((musttail)) return context->resumeParent(context);
}

ASYNC void swift_continuation_await(Context *context) {
  static _Atomic(void *) known;
  Await await = (Await)hidden(&known, "swift_continuation_await");
  if (!(context->flags & forcesExecutorSwitch)) {
    afterAwait = context->resumeParent;
    context->resumeParent = resumed;
  }
  __attribute__((musttail)) return await(context);
}
