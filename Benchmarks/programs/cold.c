// The OpenSSL and SQLite work of one request, and nothing else: the yardstick of row `functions`.
//
// usage: cold me|refresh|signin DATABASE KEYS
//
// Tokens are neither parsed nor formatted, nothing is encoded, no limit is checked. The schema, the
// number and the sizes of rows, the statements, the transactions and their syncs are those of the
// functions, and so are the keys, the signatures and the verifications. KEYS contains in order:
//
//     32 bytes  the master key            12 + 32 + 16 bytes  nonce, sealed P-256 scalar and tag
//     65 bytes  the P-256 public point    256 bytes  an RSA modulus (the exponent is 65537)
//     300 bytes a message                 64 bytes  its ES256 signature   256 bytes  RS256
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SESSION_BYTES = 300, PROFILE_BYTES = 250, AUDIT_BYTES = 320, KEY_ROW_BYTES = 600 };

static struct {
    unsigned char master[32], nonce[12], sealed[32], tag[16], point[65], modulus[256];
    unsigned char message[300], ecdsa[64], rsa[256];
} keys;

static sqlite3 *database;
static sqlite3_stmt *get, *put;

static void must(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "cold: %s: %s\n", what, database ? sqlite3_errmsg(database) : "");
    exit(1);
}

static void run(const char *sql) {
    must(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, sql);
}

static void prepare(sqlite3_stmt **statement, const char *sql) {
    must(sqlite3_prepare_v2(database, sql, -1, statement, NULL) == SQLITE_OK, sql);
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

static void bind(sqlite3_stmt *statement, int index, const char *text) {
    sqlite3_bind_blob(statement, index, text, (int)strlen(text), SQLITE_STATIC);
}

static int read_row(const char *partition, const char *sort) {
    if (get == NULL)
        prepare(
            &get, "SELECT expires, attributes FROM items WHERE partition = ?1 AND sort = ?2 "
                  "AND (expires IS NULL OR expires > ?3)");
    bind(get, 1, partition);
    bind(get, 2, sort);
    sqlite3_bind_int64(get, 3, now());
    int bytes = 0;
    while (sqlite3_step(get) == SQLITE_ROW) bytes = sqlite3_column_bytes(get, 1);
    sqlite3_reset(get);
    return bytes;
}

static void write_row(const char *partition, const char *sort, int bytes, int expires) {
    static unsigned char attributes[1024];
    if (put == NULL)
        prepare(
            &put, "INSERT INTO items (partition, sort, expires, attributes) VALUES (?1, ?2, ?3, "
                  "?4) ON CONFLICT (partition, sort) DO UPDATE SET expires = excluded.expires, "
                  "attributes = excluded.attributes");
    must(getentropy(attributes, 32) == 0, "getentropy");
    bind(put, 1, partition);
    bind(put, 2, sort);
    if (expires) sqlite3_bind_int64(put, 3, now() + 30LL * 24 * 3600 * 1000);
    else sqlite3_bind_null(put, 3);
    sqlite3_bind_blob(put, 4, attributes, bytes, SQLITE_STATIC);
    must(sqlite3_step(put) == SQLITE_DONE, "put");
    sqlite3_reset(put);
}

static void open_database(const char *path) {
    must(
        sqlite3_open_v2(
            path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
            NULL) == SQLITE_OK, "open");
    sqlite3_wal_autocheckpoint(database, 4000);
    sqlite3_busy_timeout(database, 10000);
    run("PRAGMA user_version");
}

// The signing key's scalar, from its row and the master key.
static void open_key(unsigned char scalar[32]) {
    must(read_row("SIGNINGKEYS#ES256", "00000000") == KEY_ROW_BYTES, "key row");
    // Not fetched by name, which is slower: see OpenSSL.swift.
    EVP_CIPHER *cipher = EVP_CIPHER_meth_dup(EVP_aes_256_gcm());
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int count = 0;
    must(EVP_DecryptInit_ex(context, cipher, NULL, keys.master, keys.nonce) == 1, "aes");
    must(EVP_DecryptUpdate(context, scalar, &count, keys.sealed, 32) == 1, "aes");
    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, keys.tag);
    must(EVP_DecryptFinal_ex(context, scalar, &count) == 1, "tag");
    EVP_CIPHER_CTX_free(context);
}

static EC_KEY *ec_key(void) {
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    must(EC_KEY_oct2key(key, keys.point, sizeof keys.point, NULL) == 1, "point");
    return key;
}

static void hash(unsigned char digest[32]) {
    SHA256(keys.message, sizeof keys.message, digest);
}

static void verify_es256(void) {
    unsigned char digest[32];
    hash(digest);
    ECDSA_SIG *signature = ECDSA_SIG_new();
    ECDSA_SIG_set0(
        signature, BN_bin2bn(keys.ecdsa, 32, NULL), BN_bin2bn(keys.ecdsa + 32, 32, NULL));
    must(ECDSA_do_verify(digest, 32, signature, ec_key()) == 1, "ES256");
}

static void sign_es256(const unsigned char scalar[32]) {
    unsigned char digest[32];
    hash(digest);
    EC_KEY *key = ec_key();
    must(EC_KEY_set_private_key(key, BN_bin2bn(scalar, 32, NULL)) == 1, "scalar");
    must(ECDSA_do_sign(digest, 32, key) != NULL, "sign");
}

static void verify_rs256(void) {
    unsigned char digest[32];
    hash(digest);
    RSA *key = RSA_new();
    BIGNUM *exponent = BN_new();
    BN_set_word(exponent, 65537);
    RSA_set0_key(key, BN_bin2bn(keys.modulus, 256, NULL), exponent, NULL);
    must(RSA_verify(NID_sha256, digest, 32, keys.rsa, 256, key) == 1, "RS256");
}

static void count(const char *counter) {
    read_row("RATE", counter);
    write_row("RATE", counter, 20, 1);
}

static void me(void) {
    unsigned char scalar[32];
    open_key(scalar);
    verify_es256();
    run("BEGIN");
    must(read_row("USER#1", "PROFILE") > 0 && read_row("USER#1", "SESSION#1") > 0, "rows");
    run("COMMIT");
}

static void refresh(void) {
    unsigned char scalar[32], digest[32];
    hash(digest);
    run("PRAGMA synchronous = NORMAL");
    run("BEGIN IMMEDIATE");
    count("refresh");
    must(read_row("USER#1", "PROFILE") > 0 && read_row("USER#1", "SESSION#1") > 0, "rows");
    run("COMMIT");
    open_key(scalar);
    sign_es256(scalar);
    run("PRAGMA synchronous = FULL");
    run("BEGIN IMMEDIATE");
    read_row("USER#1", "SESSION#1");
    write_row("USER#1", "SESSION#1", SESSION_BYTES, 1);
    run("COMMIT");
}

static void sign_in(void) {
    unsigned char scalar[32], digest[32];
    char user[64], other[64];
    int number = (int)getpid();
    snprintf(user, sizeof user, "USER#%08x-0000-4000-8000-%012llx", number, now());
    snprintf(other, sizeof other, "OTHER#%08x%016llx", number, now());
    run("PRAGMA synchronous = NORMAL");
    run("BEGIN IMMEDIATE");
    count("address");
    count("provider");
    read_row("IDENTITY#none", "OWNER");
    read_row("SPENT#none", "IDTOKEN");
    read_row("EMAIL#none", "OWNER");
    run("COMMIT");
    verify_rs256();
    open_key(scalar);
    sign_es256(scalar);
    for (int index = 0; index < 4; index++) hash(digest);
    run("PRAGMA synchronous = FULL");
    run("BEGIN IMMEDIATE");
    for (int index = 0; index < 4; index++) read_row(other, "OWNER");
    write_row(user, "PROFILE", PROFILE_BYTES, 0);
    write_row(user, "SESSION#1", SESSION_BYTES, 1);
    write_row(user, "SESSIONDEVICE#1", 42, 1);
    other[0] = 'I';
    write_row(other, "OWNER", 44, 0);
    other[0] = 'E';
    write_row(other, "OWNER", 44, 0);
    write_row(other, "USER", 1, 0);
    other[0] = 'S';
    write_row(other, "IDTOKEN", 1, 1);
    write_row("USERS#ALL", other, 1, 0);
    other[0] = 'A';
    write_row(other, "EVENT", AUDIT_BYTES, 1);
    write_row("AUDITHEAD#1", other, 81, 1);
    run("COMMIT");
}

int main(int count, char **arguments) {
    must(count == 4, "usage: cold me|refresh|signin DATABASE KEYS");
    FILE *file = fopen(arguments[3], "rb");
    must(file != NULL && fread(&keys, sizeof keys, 1, file) == 1, "keys");
    OPENSSL_init_crypto(
        OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS
            | OPENSSL_INIT_NO_ADD_ALL_CIPHERS, NULL);
    char event[65536];
    ssize_t got = read(0, event, sizeof event);
    must(got >= 0, "input");
    open_database(arguments[2]);
    const char *operation = arguments[1];
    if (strcmp(operation, "me") == 0) me();
    else if (strcmp(operation, "refresh") == 0) refresh();
    else if (strcmp(operation, "signin") == 0) sign_in();
    else must(0, "no such operation");
    // About the size of a function's answer.
    must(write(1, keys.message, sizeof keys.message) == sizeof keys.message, "output");
    sqlite3_finalize(get);
    sqlite3_finalize(put);
    sqlite3_close(database);
    return 0;
}
