#pragma once
// What OpenSSL 3 does not deprecate: EVP for the work, BN and EC for numbers and points. And one
// thing that it does: the SHA-256 functions below EVP. They work without the library's start and
// its look-ups, 0.6 ms that a process which lives for one request would pay for its first hash.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
