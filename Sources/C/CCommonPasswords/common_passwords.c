#include "latchkey_common_passwords.h"

// This is in C, because Swift needs ten seconds to compile a literal of 80,000 bytes.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const unsigned char list[] = {
#embed "common-passwords.txt"
};

const unsigned char *latchkey_common_passwords(size_t *count) {
    *count = sizeof list;
    return list;
}
