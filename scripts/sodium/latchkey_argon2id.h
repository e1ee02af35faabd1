#pragma once
#include <stddef.h>
#include <stdint.h>

/// Argon2id. Returns 0, or another number if there is not enough memory.
int latchkey_argon2id(
    uint8_t *_Nonnull tag, size_t tag_count, const uint8_t *_Nullable password,
    size_t password_count, const uint8_t *_Nonnull salt, size_t salt_count, uint32_t memory_kib,
    uint32_t passes, uint32_t lanes);
