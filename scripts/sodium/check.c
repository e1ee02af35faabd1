// Compares the library with libargon2. Exits with 1 if any tag differs.
#include "latchkey_argon2id.h"

#include <argon2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

void *latchkey_argon2_map(size_t count) {
  return mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int latchkey_argon2_unmap(void *memory, size_t count) { return munmap(memory, count); }

static const uint32_t memories[] = {8, 9, 100, 256, 1000, 19456, 65536};
static const uint32_t passes[] = {1, 2, 3, 5};
static const uint32_t lanes[] = {1, 2, 3, 4, 16};
static const size_t tags[] = {16, 32, 64};
static const size_t salts[] = {8, 16, 17, 64};

int main(void) {
  uint8_t bytes[4096], left[64], right[64];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 7 + i / 256);
  int compared = 0;
  for (size_t m = 0; m < sizeof memories / sizeof *memories; m++)
    for (size_t p = 0; p < sizeof passes / sizeof *passes; p++)
      for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++) {
        // Combinations with large parameters are slow.
        if (memories[m] < 8 * lanes[l] || (memories[m] > 1000 && p > 1)) continue;
        size_t tag = tags[compared % 3], salt = salts[compared % 4];
        size_t password = (size_t)compared * 41 % 4000;
        int failed = latchkey_argon2id(
            left, tag, bytes, password, bytes + 9, salt, memories[m], passes[p], lanes[l]);
        failed |= argon2id_hash_raw(
            passes[p], memories[m], lanes[l], bytes, password, bytes + 9, salt, right, tag);
        if (failed || memcmp(left, right, tag)) {
          fprintf(stderr, "differs: m=%u t=%u p=%u\n", memories[m], passes[p], lanes[l]);
          return 1;
        }
        compared++;
      }
  printf("%d tags are equal\n", compared);
  return 0;
}
