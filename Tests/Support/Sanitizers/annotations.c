// Adds two kinds of synchronization edges for the thread sanitizer that it misses because Swift's libraries are not
// instrumented. Without them, the sanitizer sometimes reports a race on data that a contended Mutex protects, or on the
// value that a continuation returns.
//
// This library is preloaded. It replaces four functions and adds the missing edges, each on the address that the
// instrumented or annotated side already uses. It hides no race: the sanitizer still reports a race that neither a lock
// nor a continuation orders. In a process without the sanitizer, the functions only forward.
// Tests/Support/Sanitizers/check checks this library with Swift 6.3.

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

// The original of a function that this library replaces. Two threads may look it up at once; both find the same
// address.
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

// Mutex. The fast path is one compare-and-exchange on the handle, inlined into instrumented code. Under contention,
// that code calls these three functions with the handle, and the kernel passes the lock to the next thread.

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

// Continuation. The runtime itself annotates that a resume releases the task, and that a suspended task acquires it
// when it runs again. If the resume comes before the await, the task is not suspended: it continues directly with the
// function in its context, and the runtime omits the acquire. So `resumed` takes the place of that function.

typedef struct Context Context;
typedef ASYNC void (*Function)(ASYNC_CONTEXT Context *context);
typedef ASYNC void (*Await)(Context *context);

struct Context {
  Context *parent;
  Function resumeParent;
  size_t flags;
};

// With this flag the runtime may continue the task as a job on another executor; it annotates the acquire of jobs.
static const size_t forcesExecutorSwitch = 2;

// No other await runs on the thread between the await and `resumed`. A task that is suspended does not continue through
// its context: the runtime stored the function to continue with when it created the continuation.
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
