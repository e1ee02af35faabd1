#include "latchkey_common_passwords.h"

// In C, because Swift compiles a literal of 80,000 bytes for ten seconds.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const unsigned char list[] = {
#embed "common-passwords.txt"
};

const unsigned char *latchkey_common_passwords(size_t *count) {
    *count = sizeof list;
    return list;
}
