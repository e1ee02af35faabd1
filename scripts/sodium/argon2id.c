// Argon2id by libsodium, which chooses an implementation for this processor when it first runs:
// Debian's libargon2 is compiled for the oldest processors, and takes more than twice as long.
#include "latchkey_argon2id.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/types.h>

// Declared as in argon2.h, because libsodium's public functions take only one lane and salts of 16
// bytes. check.c compares the results.
int argon2id_hash_raw(
    uint32_t passes, uint32_t memory_kib, uint32_t lanes, const void *password,
    size_t password_count, const void *salt, size_t salt_count, void *tag, size_t tag_count);

// `sodium_init` would choose implementations of all algorithms, and link them.
int _sodium_runtime_get_cpu_features(void);
int _crypto_generichash_blake2b_pick_best_implementation(void);
int _crypto_pwhash_argon2_pick_best_implementation(void);

static void choose(void) {
  _sodium_runtime_get_cpu_features();
  _crypto_generichash_blake2b_pick_best_implementation();
  _crypto_pwhash_argon2_pick_best_implementation();
}

int latchkey_argon2id(
    uint8_t *tag, size_t tag_count, const uint8_t *password, size_t password_count,
    const uint8_t *salt, size_t salt_count, uint32_t memory_kib, uint32_t passes,
    uint32_t lanes) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, choose);
  return argon2id_hash_raw(
      passes, memory_kib, lanes, password, password_count, salt, salt_count, tag, tag_count);
}

// The linker redirects libsodium's allocations to this function, which uses the memory of
// Sources/Base/Cryptography/Argon2Memory.swift.
void *latchkey_argon2_map(size_t count);
int latchkey_argon2_unmap(void *memory, size_t count);

void *__wrap_mmap(void *at, size_t count, int access, int flags, int file, off_t offset) {
  (void)at, (void)access, (void)flags, (void)file, (void)offset;
  return latchkey_argon2_map(count);
}

int __wrap_munmap(void *memory, size_t count) { return latchkey_argon2_unmap(memory, count); }

// Functions that are linked but not called refer to these, whose originals would link much more
// code.
_Noreturn void sodium_misuse(void) { abort(); }

void randombytes_buf(void *bytes, size_t count) {
  (void)bytes, (void)count;
  abort();
}
