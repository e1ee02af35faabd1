// A server that does nothing, to measure the cost of an exchange alone.
//
// usage: nothing PORT BYTES
//
// Reads requests from one connection at a time and answers each at once, a GET with that many
// bytes, any other without a body. It blocks while there is nothing to read.

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_BYTES_MAX = 1 << 20, ANSWER_BYTES_MAX = 1 << 20 };

static char request[REQUEST_BYTES_MAX + 1];
static char full[ANSWER_BYTES_MAX], empty[256];
static size_t full_count, empty_count;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static size_t prepare(char *answer, size_t room, size_t body_count) {
    int head = snprintf(
        answer, room, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", body_count);
    if ((size_t)head + body_count > room) fail("an answer is too large");
    for (size_t index = 0; index < body_count; index++)
        answer[(size_t)head + index] = "0123456789"[index % 10];
    return (size_t)head + body_count;
}

// The length of the complete request at the start of the buffer; 0 if incomplete.
static size_t whole(size_t have) {
    request[have] = 0;
    const char *end = strstr(request, "\r\n\r\n");
    if (end == NULL) return 0;
    const char *length = strcasestr(request, "\r\nContent-Length:");
    size_t body = length != NULL && length < end ? strtoul(length + 17, NULL, 10) : 0;
    size_t count = (size_t)(end + 4 - request) + body;
    return have < count ? 0 : count;
}

static void serve(int connection) {
    size_t have = 0;
    for (;;) {
        ssize_t got = recv(connection, request + have, REQUEST_BYTES_MAX - have, 0);
        if (got <= 0) return;
        have += (size_t)got;
        size_t count = whole(have);
        if (count == 0) continue;
        int is_get = strncmp(request, "GET ", 4) == 0;
        const char *answer = is_get ? full : empty;
        if (send(connection, answer, is_get ? full_count : empty_count, MSG_NOSIGNAL) < 0) return;
        if (memmem(request, count, "\r\nConnection: close", 19) != NULL) return;
        memmove(request, request + count, have - count);
        have -= count;
    }
}

int main(int count, char **arguments) {
    if (count != 3) fail("usage: nothing PORT BYTES");
    full_count = prepare(full, sizeof full, strtoul(arguments[2], NULL, 10));
    empty_count = prepare(empty, sizeof empty, 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
        .sin_port = htons((unsigned short)atoi(arguments[1]))};
    int yes = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0) fail("bind");
    if (listen(listener, 16) != 0) fail("listen");
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        if (connection < 0) continue;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        serve(connection);
        close(connection);
    }
}
