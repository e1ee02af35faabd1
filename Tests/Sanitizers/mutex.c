// Tells the thread sanitizer about Swift's Mutex.
//
// The fast path of Mutex is inlined and instrumented. Where threads meet, it calls the slow path in
// libswiftSynchronization, which is not instrumented and locks by futex(2) (FUTEX_LOCK_PI): the
// sanitizer would report every value behind a contended Mutex as a race. This library is loaded
// before it, calls it, and reports what it did: an acquire after a lock, a release before an
// unlock.
// Nothing is suppressed, and races without a lock are still found.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The runtime of the sanitizer, which only programs that are built with it have.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void lock_function(uint32_t thread, SELF);
typedef SWIFT bool try_lock_function(SELF);
typedef SWIFT void unlock_function(SELF);

SWIFT void latchkey_lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool latchkey_try_lock(SELF) __asm__(TRY_LOCK);
SWIFT void latchkey_unlock(SELF) __asm__(UNLOCK);

SWIFT void latchkey_lock(uint32_t thread, SELF) {
    ((lock_function *)dlsym(RTLD_NEXT, LOCK))(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool latchkey_try_lock(SELF) {
    bool is_locked = ((try_lock_function *)dlsym(RTLD_NEXT, TRY_LOCK))(self);
    if (is_locked && __tsan_acquire) __tsan_acquire(self);
    return is_locked;
}

SWIFT void latchkey_unlock(SELF) {
    if (__tsan_release) __tsan_release(self);
    ((unlock_function *)dlsym(RTLD_NEXT, UNLOCK))(self);
}
