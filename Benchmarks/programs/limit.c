// The limit of the machine for row `servers`: a server with only the work that no other can omit.
//
// usage: limit PORT DATABASE KEY PAGES
//
// A GET verifies the ES256 signature of the request's access token, reads the row of its subject in
// the SQLite database and answers with it. Any other request also writes a page of 4096 bytes to
// the file PAGES and is answered once the page is synced; one fdatasync serves all that wait. KEY
// has the 65 bytes of the P-256 public point. Nothing else is parsed or checked. One thread for
// each processor, one for the pages.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ecdsa.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    REQUEST_BYTES_MAX = 4096,
    ROW_BYTES_MAX = 1024,
    ANSWER_BYTES_MAX = 2048,
    SUBJECT_BYTES_MAX = 64,
    PAGE_BYTES = 4096,
    // As many as SQLite's write-ahead log has before a checkpoint; written again from the start.
    PAGES = 4000,
    GROUP_MAX = 256,
    WORKERS_MAX = 64,
    SIGNATURE_BYTES = 64,
    BUSY_MILLISECONDS_MAX = 5000,
};

struct connection {
    int descriptor;
    // One for the worker, one while it waits for its page.
    atomic_int references;
    struct connection *next;
    size_t have, answer_count;
    char request[REQUEST_BYTES_MAX + 1], answer[ANSWER_BYTES_MAX];
};

struct worker {
    int poller;
    sqlite3_stmt *get;
};

static EC_KEY *key;
static const char *database_path;
static int pages;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_waiting = PTHREAD_COND_INITIALIZER;
static struct connection *first, **last = &first;

static void must(int condition, const char *what) {
    if (condition) return;
    perror(what);
    exit(1);
}

static void release(struct connection *connection) {
    if (atomic_fetch_sub(&connection->references, 1) > 1) return;
    close(connection->descriptor);
    free(connection);
}

static void reply(struct connection *connection) {
    // If the client has closed, the worker reads that next.
    (void)!send(
        connection->descriptor, connection->answer, connection->answer_count, MSG_NOSIGNAL);
}

static int digit(char character) {
    if (character >= 'A' && character <= 'Z') return character - 'A';
    if (character >= 'a' && character <= 'z') return character - 'a' + 26;
    if (character >= '0' && character <= '9') return character - '0' + 52;
    return character == '-' ? 62 : character == '_' ? 63 : -1;
}

// The number of bytes of base64url; -1 if it is not valid or longer than `room`.
static long decode(const char *text, size_t count, unsigned char *bytes, size_t room) {
    unsigned value = 0, bits = 0;
    size_t have = 0;
    for (size_t index = 0; index < count; index++) {
        int one = digit(text[index]);
        if (one < 0) return -1;
        value = value << 6 | (unsigned)one;
        if ((bits += 6) < 8) continue;
        if (have == room) return -1;
        bytes[have++] = (unsigned char)(value >> (bits -= 8));
    }
    return (long)have;
}

// The subject of the request's access token, if its signature is valid.
static int verify(const char *request, char *subject) {
    const char *token = strstr(request, "\r\nAuthorization: Bearer ");
    if (token == NULL) return 0;
    token += 24;
    const char *end = strstr(token, "\r\n");
    const char *payload = memchr(token, '.', (size_t)(end - token));
    const char *dot = memrchr(token, '.', (size_t)(end - token));
    if (payload == NULL || payload == dot) return 0;

    unsigned char bytes[SIGNATURE_BYTES], digest[32], claims[REQUEST_BYTES_MAX + 1];
    if (decode(dot + 1, (size_t)(end - dot - 1), bytes, sizeof bytes) != sizeof bytes) return 0;
    SHA256((const unsigned char *)token, (size_t)(dot - token), digest);
    ECDSA_SIG *signature = ECDSA_SIG_new();
    ECDSA_SIG_set0(signature, BN_bin2bn(bytes, 32, NULL), BN_bin2bn(bytes + 32, 32, NULL));
    int is_valid = ECDSA_do_verify(digest, sizeof digest, signature, key) == 1;
    ECDSA_SIG_free(signature);
    if (!is_valid) return 0;

    long count = decode(payload + 1, (size_t)(dot - payload - 1), claims, sizeof claims - 1);
    if (count < 0) return 0;
    claims[count] = 0;
    const char *name = strstr((char *)claims, "\"sub\":\"");
    if (name == NULL) return 0;
    size_t length = strcspn(name + 7, "\"");
    if (length >= SUBJECT_BYTES_MAX) return 0;
    memcpy(subject, name + 7, length);
    subject[length] = 0;
    return 1;
}

static int read_row(struct worker *worker, const char *subject, char *row) {
    sqlite3_bind_text(worker->get, 1, subject, -1, SQLITE_STATIC);
    int count = 0;
    if (sqlite3_step(worker->get) == SQLITE_ROW) {
        count = sqlite3_column_bytes(worker->get, 0);
        if (count < ROW_BYTES_MAX) memcpy(row, sqlite3_column_text(worker->get, 0), (size_t)count);
        else count = 0;
    }
    sqlite3_reset(worker->get);
    row[count] = 0;
    return count > 0;
}

static void prepare_answer(struct worker *worker, struct connection *connection) {
    char subject[SUBJECT_BYTES_MAX], row[ROW_BYTES_MAX] = "";
    const char *status = "200 OK";
    if (!verify(connection->request, subject)) status = "401 Unauthorized";
    else if (!read_row(worker, subject, row)) status = "404 Not Found";
    connection->answer_count = (size_t)snprintf(
        connection->answer, sizeof connection->answer,
        "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", status,
        strlen(row), row);
}

static void await_page(struct connection *connection) {
    atomic_fetch_add(&connection->references, 1);
    connection->next = NULL;
    pthread_mutex_lock(&lock);
    *last = connection;
    last = &connection->next;
    pthread_cond_signal(&is_waiting);
    pthread_mutex_unlock(&lock);
}

// The length of the complete request; 0 if incomplete.
static size_t whole(const struct connection *connection) {
    const char *end = strstr(connection->request, "\r\n\r\n");
    if (end == NULL) return 0;
    const char *length = strcasestr(connection->request, "\r\nContent-Length:");
    size_t body = length != NULL && length < end ? strtoul(length + 17, NULL, 10) : 0;
    size_t count = (size_t)(end + 4 - connection->request) + body;
    return connection->have < count ? 0 : count;
}

// Returns 0 at the end of the connection.
static int serve(struct worker *worker, struct connection *connection) {
    ssize_t got = recv(
        connection->descriptor, connection->request + connection->have,
        REQUEST_BYTES_MAX - connection->have, 0);
    if (got <= 0) return 0;
    connection->have += (size_t)got;
    connection->request[connection->have] = 0;
    if (whole(connection) == 0) return 1;
    prepare_answer(worker, connection);
    // A client waits for each answer before its next request.
    connection->have = 0;
    if (strncmp(connection->request, "GET ", 4) == 0) reply(connection);
    else await_page(connection);
    return strstr(connection->request, "\r\nConnection: close") == NULL;
}

static void *work(void *argument) {
    struct worker *worker = argument;
    sqlite3 *database;
    // The first connection recovers the log, for which the others wait.
    if (sqlite3_open_v2(
            database_path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
            != SQLITE_OK
        || sqlite3_busy_timeout(database, BUSY_MILLISECONDS_MAX) != SQLITE_OK
        || sqlite3_prepare_v2(
               database, "SELECT profile FROM users WHERE id = ?1", -1, &worker->get, NULL)
            != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", database_path, sqlite3_errmsg(database));
        exit(1);
    }
    struct epoll_event events[64];
    for (;;) {
        int ready = epoll_wait(worker->poller, events, 64, -1);
        for (int index = 0; index < ready; index++) {
            struct connection *connection = events[index].data.ptr;
            if (serve(worker, connection)) continue;
            epoll_ctl(worker->poller, EPOLL_CTL_DEL, connection->descriptor, NULL);
            release(connection);
        }
    }
    return NULL;
}

static void *write_pages(void *argument) {
    (void)argument;
    static char group[GROUP_MAX][PAGE_BYTES];
    long page = 0;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (first == NULL) pthread_cond_wait(&is_waiting, &lock);
        struct connection *taken = first;
        first = NULL;
        last = &first;
        pthread_mutex_unlock(&lock);
        while (taken != NULL) {
            struct connection *one = taken;
            size_t count = 0;
            for (; one != NULL && count < GROUP_MAX; one = one->next)
                memcpy(group[count++], one->answer, one->answer_count);
            if (page + (long)count > PAGES) page = 0;
            ssize_t size = (ssize_t)count * PAGE_BYTES;
            must(pwrite(pages, group, (size_t)size, page * PAGE_BYTES) == size, "pwrite");
            must(fdatasync(pages) == 0, "fdatasync");
            page += (long)count;
            while (taken != one) {
                struct connection *answered = taken;
                taken = taken->next;
                reply(answered);
                release(answered);
            }
        }
    }
    return NULL;
}

static void open_pages(const char *path) {
    static const char zeros[PAGE_BYTES];
    pages = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(pages >= 0, path);
    // Blocks that were written before are synced without a change of the file's metadata.
    for (long page = 0; page < PAGES; page++)
        must(pwrite(pages, zeros, PAGE_BYTES, page * PAGE_BYTES) == PAGE_BYTES, path);
    must(fsync(pages) == 0, path);
}

static void read_key(const char *path) {
    unsigned char point[65];
    FILE *file = fopen(path, "rb");
    must(file != NULL && fread(point, sizeof point, 1, file) == 1, path);
    fclose(file);
    key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    must(EC_KEY_oct2key(key, point, sizeof point, NULL) == 1, "point");
}

int main(int count, char **arguments) {
    must(count == 5, "usage: limit PORT DATABASE KEY PAGES");
    database_path = arguments[2];
    read_key(arguments[3]);
    open_pages(arguments[4]);
    static struct worker workers[WORKERS_MAX];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors > WORKERS_MAX) processors = WORKERS_MAX;
    pthread_t thread;
    must(pthread_create(&thread, NULL, write_pages, NULL) == 0, "thread");
    for (long index = 0; index < processors; index++) {
        workers[index].poller = epoll_create1(EPOLL_CLOEXEC);
        must(workers[index].poller >= 0, "epoll");
        must(pthread_create(&thread, NULL, work, &workers[index]) == 0, "thread");
    }
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
        .sin_port = htons((unsigned short)atoi(arguments[1]))};
    int yes = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    must(bind(listener, (struct sockaddr *)&address, sizeof address) == 0, "bind");
    must(listen(listener, 512) == 0, "listen");
    for (long turn = 0;; turn++) {
        int descriptor = accept(listener, NULL, NULL);
        if (descriptor < 0) continue;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        struct connection *connection = calloc(1, sizeof *connection);
        must(connection != NULL, "memory");
        connection->descriptor = descriptor;
        connection->references = 1;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        epoll_ctl(workers[turn % processors].poller, EPOLL_CTL_ADD, descriptor, &event);
    }
}
