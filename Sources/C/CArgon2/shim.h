#pragma once
#include <argon2.h>
#include <stddef.h>
#include <stdint.h>

#if __has_include(<latchkey_argon2id.h>)
// Release builds have this header: scripts/build-sodium makes it.
#include <latchkey_argon2id.h>
#else
static inline int latchkey_argon2id(
    uint8_t *_Nonnull tag, size_t tag_count, const uint8_t *_Nullable password,
    size_t password_count, const uint8_t *_Nonnull salt, size_t salt_count, uint32_t memory_kib,
    uint32_t passes, uint32_t lanes) {
  return -1;
}
#endif
