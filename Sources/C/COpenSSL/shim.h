#pragma once
// EVP for the work, BN and EC for numbers and points. And two things that OpenSSL 3 deprecates in
// favour of EVP, though it keeps them: hashing and ECDSA below EVP. They do without EVP's look-ups,
// 0.7 ms that a process which lives for one request would pay for its first use.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/md5.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
