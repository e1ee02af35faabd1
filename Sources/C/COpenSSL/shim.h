#pragma once
// EVP for most operations, BN and EC for numbers and points. Hashing and ECDSA use the low-level
// API that OpenSSL 3 deprecates but keeps, and AES-GCM a copy of its built-in method: this avoids
// EVP's look-ups by name, which cost a process 0.7 ms at the first use.
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
