// The empty function: the same program behind every contender.
//
// With AWS_LAMBDA_RUNTIME_API it is a client of the Runtime API on one connection that stays open;
// without, it reads the event from standard input to its end and answers on standard output.
// REPLY is the answer, PAUSE_MS the time that each takes.

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_BYTES_MAX = 1 << 20, HEAD_BYTES_MAX = 4096 };

static const char *reply;
static long pause_ms;
static char authority[256], prefix[256];
static int connection = -1;
static char answer[ANSWER_BYTES_MAX + 1];

static void fail(const char *what) {
    fprintf(stderr, "function: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void write_all(int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail("write");
        bytes += written;
        count -= (size_t)written;
    }
}

static void open_connection(void) {
    char host[256];
    snprintf(host, sizeof host, "%s", authority);
    char *colon = strrchr(host, ':');
    if (colon == NULL) fail("AWS_LAMBDA_RUNTIME_API has no port");
    *colon = 0;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(colon + 1))};
    if (inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &address.sin_addr)
        != 1) fail("AWS_LAMBDA_RUNTIME_API has no IPv4 address");
    connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int yes = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
}

/// The value of a header of the response, or NULL. It ends at the line's end.
static const char *header(const char *name) {
    size_t length = strlen(name);
    for (const char *line = strstr(answer, "\r\n"); line != NULL && line[2] != '\r';
         line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, length) == 0 && line[2 + length] == ':') {
            const char *value = line + 3 + length;
            while (*value == ' ') value++;
            return value;
        }
    }
    return NULL;
}

/// Sends a request and reads its response to the end; returns the status.
static int exchange(const char *request, size_t count) {
    if (connection < 0) open_connection();
    write_all(connection, request, count);
    size_t have = 0, body = 0, wanted = 0;
    int is_chunked = 0;
    for (;;) {
        ssize_t got = read(connection, answer + have, ANSWER_BYTES_MAX - have);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) exit(0);
        if (got < 0) fail("read");
        have += (size_t)got;
        answer[have] = 0;
        if (body == 0) {
            const char *end = strstr(answer, "\r\n\r\n");
            if (end == NULL) continue;
            body = (size_t)(end - answer) + 4;
            const char *length = header("content-length");
            wanted = length == NULL ? 0 : strtoul(length, NULL, 10);
            is_chunked = header("transfer-encoding") != NULL;
        }
        if (is_chunked ? memmem(answer + body - 2, have - body + 2, "\r\n0\r\n\r\n", 7) != NULL
                       : have - body >= wanted) {
            break;
        }
    }
    const char *kind = header("connection");
    if (kind != NULL && strncasecmp(kind, "close", 5) == 0) {
        close(connection);
        connection = -1;
    }
    return atoi(answer + 9);
}

static void work(void) {
    if (pause_ms > 0) {
        struct timespec pause = {pause_ms / 1000, pause_ms % 1000 * 1000000};
        nanosleep(&pause, NULL);
    }
}

static void serve(void) {
    char next[HEAD_BYTES_MAX], *answered;
    int next_count = snprintf(
        next, sizeof next, "GET %s/2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: %s\r\n\r\n",
        prefix, authority);
    size_t reply_count = strlen(reply);
    answered = malloc(HEAD_BYTES_MAX + reply_count);
    if (answered == NULL) fail("malloc");
    for (;;) {
        // 204: no event yet. cargo-lambda responds so, AWS does not.
        int status = exchange(next, (size_t)next_count);
        if (status == 204) continue;
        const char *identifier = header("lambda-runtime-aws-request-id");
        if (status != 200 || identifier == NULL) fail("next");
        work();
        int count = snprintf(
            answered, HEAD_BYTES_MAX + reply_count,
            "POST %s/2018-06-01/runtime/invocation/%.*s/response HTTP/1.1\r\nHost: %s\r\n"
            "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
            prefix, (int)strcspn(identifier, "\r"), identifier, authority, reply_count, reply);
        // 202 in AWS, 200 from cargo-lambda.
        if (exchange(answered, (size_t)count) / 100 != 2) fail("response");
    }
}

int main(void) {
    const char *variable = getenv("REPLY");
    reply = variable == NULL ? "{\"ok\":true}" : variable;
    variable = getenv("PAUSE_MS");
    pause_ms = variable == NULL ? 0 : atol(variable);
    variable = getenv("AWS_LAMBDA_RUNTIME_API");
    if (variable == NULL) {
        static char event[65536];
        while (read(0, event, sizeof event) > 0) {}
        work();
        write_all(1, reply, strlen(reply));
        return 0;
    }
    size_t length = strcspn(variable, "/");
    snprintf(authority, sizeof authority, "%.*s", (int)length, variable);
    snprintf(prefix, sizeof prefix, "%s", variable + length);
    serve();
}
