// Bcrypt.swift is the only caller of libcrypt, and needs only its bcrypt. The other methods would
// be 160 KB of every executable, most of it the tables of DES. crypt_rn(3) writes "*0" before it
// calls a method, and returns NULL if that text is still there: a hash by another method is an
// error.
#include "CStubs.h"

#include <errno.h>

#define METHOD(name) \
  STUB void _crypt_crypt_##name##_rn(void) { errno = EINVAL; } \
  STUB void _crypt_gensalt_##name##_rn(void) { errno = EINVAL; }

METHOD(bigcrypt)
METHOD(bsdicrypt)
METHOD(descrypt)
METHOD(gost_yescrypt)
METHOD(md5crypt)
METHOD(nt)
METHOD(scrypt)
METHOD(sha1crypt)
METHOD(sha256crypt)
METHOD(sha512crypt)
METHOD(sunmd5)
METHOD(yescrypt)
