#pragma once
#include <linux/futex.h>
#include <sqlite3.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Swift does not import SQLITE_TRANSIENT, a cast of -1 to a function pointer. An empty blob needs a
// non-null pointer, or NULL is bound.
static inline int latchkey_bind_copy(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(
      statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// Atomic words in shared memory and the futex(2) system call, for which the C library has no
// function and which Swift cannot call, because syscall(2) is variadic.

static inline uint32_t latchkey_shared_load(const uint32_t *word) {
  return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static inline void latchkey_shared_add(uint32_t *word, uint32_t amount) {
  __atomic_add_fetch(word, amount, __ATOMIC_SEQ_CST);
}

// Sleeps until woken or until the timeout, unless the word has changed already.
static inline void latchkey_shared_wait(
    const uint32_t *word, uint32_t seen, long milliseconds_max) {
  struct timespec limit = {milliseconds_max / 1000, milliseconds_max % 1000 * 1000000};
  syscall(SYS_futex, word, FUTEX_WAIT, seen, &limit, NULL, 0);
}

static inline void latchkey_shared_wake_one(const uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}
