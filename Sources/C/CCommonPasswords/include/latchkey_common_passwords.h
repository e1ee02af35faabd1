#ifndef LATCHKEY_COMMON_PASSWORDS_H
#define LATCHKEY_COMMON_PASSWORDS_H

#include <stddef.h>

/// The bytes of `common-passwords.txt`, and their number.
const unsigned char *_Nonnull latchkey_common_passwords(size_t *_Nonnull count);

#endif
