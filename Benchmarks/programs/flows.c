// The load generator of row `flows`: signs in, or refreshes, over connections that stay open.
//
// usage: flows PORT PATH (--bodies FILE | --tokens FILE) [--connections N] [--seconds S] [--rate N]
//              [--require TEXT]... [--answers FILE] [--every N] [--form TEXT]
//
// --bodies: one request body per line. Each is sent once, by the next free connection.
// --tokens: one refresh token per line. Each connection has its own tokens, which it uses in turn,
//           each time the token of the last answer; at the end the file has the newest tokens.
//           Without --seconds each is used once, by the next free connection.
//
// --rate:   so many requests a second, each at its time. A request for which no connection is free
//           waits, and its latency includes the wait.
// --form:   bodies are forms, and answers have OAuth's names. A token is sent after TEXT.
//
// Runs until the time is up, or without --seconds until the lines are used up. With --seconds,
// requests of the first 0.2 s are not counted. An answer is valid if its status is 200, it contains
// every required text, its access token has three parts and its refresh token differs from the sent
// one. Every N-th valid answer goes to the file of --answers: request body, tab, answer body. Every
// request has another client address in X-Forwarded-For. Prints one line of JSON.

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECTIONS_MAX = 256,
    LINES_MAX = 1 << 17,
    BODY_BYTES_MAX = 8192,
    HEAD_BYTES_MAX = 512,
    TOKEN_BYTES_MAX = 1024,
    ANSWER_BYTES_MAX = 1 << 16,
    REQUIRED_MAX = 16,
    LATENCIES_MAX = 1 << 20,
    WRONG_MAX = 100,
    WARM_UP_MICROSECONDS = 200000,
    PATIENCE_MICROSECONDS = 30000000,
};

struct connection {
    int descriptor, is_busy;
    size_t first_line, line, have;
    long began;
    struct connection *next;
    char body[BODY_BYTES_MAX];
    char answer[ANSWER_BYTES_MAX + 1];
};

static struct sockaddr_in address = {.sin_family = AF_INET};
static const char *path, *form, *required[REQUIRED_MAX];
static size_t required_count;
static char *lines[LINES_MAX];
static size_t line_count, next_line, connection_count = 1;
static int refreshes, uses_lines_once;
// Requests a second; 0: each connection sends its next one at once.
static double rate;
static struct connection *idle;
static size_t busy;
static long asked;
static int is_over;
static uint32_t client_address;
static uint32_t latencies[LATENCIES_MAX];
static size_t latency_count;
static long counted_from, until, last_answer, good, in_time, wrong, broken;
static char first_wrong[512];
static FILE *answers;
static long every = 1;

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void fail(const char *what) {
    fprintf(stderr, "flows: %s: %s\n", what, errno != 0 ? strerror(errno) : "not valid");
    exit(2);
}

static void read_lines(const char *file) {
    FILE *input = fopen(file, "r");
    if (input == NULL) fail(file);
    size_t limit = refreshes ? TOKEN_BYTES_MAX : BODY_BYTES_MAX, room = 0;
    char *line = NULL;
    for (ssize_t got; (got = getline(&line, &room, input)) > 0;) {
        size_t count = strcspn(line, "\n");
        line[count] = 0;
        if (count == 0 || count >= limit || line_count == LINES_MAX) fail(file);
        // The buffer of a token has room for its successors.
        char *copy = refreshes ? malloc(TOKEN_BYTES_MAX) : malloc(count + 1);
        if (copy == NULL) fail("memory");
        memcpy(copy, line, count + 1);
        lines[line_count++] = copy;
    }
    free(line);
    fclose(input);
    if (line_count == 0) fail(file);
}

static void write_tokens(const char *file) {
    FILE *output = fopen(file, "w");
    if (output == NULL) fail(file);
    for (size_t index = 0; index < line_count; index++) fprintf(output, "%s\n", lines[index]);
    if (fclose(output) != 0) fail(file);
}

static void dial(struct connection *connection, int poller) {
    connection->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->descriptor < 0) fail("socket");
    int yes = 1;
    setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(connection->descriptor, (struct sockaddr *)&address, sizeof address) != 0)
        fail("connect");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, connection->descriptor, &event) != 0) fail("epoll_ctl");
}

/// Chooses the next request of the connection; 0 if nothing is left.
static int choose(struct connection *connection) {
    if (uses_lines_once) {
        if (next_line == line_count) return 0;
        connection->line = next_line++;
    } else {
        connection->line += connection_count;
        if (connection->line >= line_count) connection->line = connection->first_line;
    }
    const char *line = lines[connection->line];
    snprintf(
        connection->body, sizeof connection->body, "%s%s%s",
        !refreshes ? "" : form != NULL ? form : "{\"refreshToken\":\"", line,
        refreshes && form == NULL ? "\"}" : "");
    return 1;
}

/// `due`: when the request should be sent.
static void ask(struct connection *connection, long due) {
    char request[HEAD_BYTES_MAX + BODY_BYTES_MAX];
    client_address = (client_address + 1) & 0xFFFFFF;
    int count = snprintf(
        request, sizeof request,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/%s\r\n"
        "Accept: application/json\r\nUser-Agent: bench/1\r\nX-Forwarded-For: 10.%u.%u.%u\r\n"
        "Content-Length: %zu\r\n\r\n%s",
        path, ntohs(address.sin_port), form == NULL ? "json" : "x-www-form-urlencoded",
        client_address >> 16, client_address >> 8 & 255,
        client_address & 255, strlen(connection->body), connection->body);
    if (count < 0 || (size_t)count >= sizeof request) fail("a request is too large");
    connection->have = 0;
    connection->began = due;
    for (size_t sent = 0; sent < (size_t)count;) {
        ssize_t got = send(
            connection->descriptor, request + sent, (size_t)count - sent, MSG_NOSIGNAL);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return;  // The error shows when the answer is read.
        sent += (size_t)got;
    }
}

/// The value of a member without escapes, as in tokens; 0 if there is none.
static size_t member(const char *body, const char *name, char *value) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    const char *at = strstr(body, quoted);
    if (at == NULL) return 0;
    at += strlen(quoted);
    at += strspn(at, " ");
    if (*at++ != ':') return 0;
    at += strspn(at, " ");
    if (*at++ != '"') return 0;
    size_t count = strspn(
        at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=");
    if (at[count] != '"' || count == 0 || count >= TOKEN_BYTES_MAX) return 0;
    memcpy(value, at, count);
    value[count] = 0;
    return count;
}

static int is_compact_jwt(const char *token) {
    size_t parts = 1;
    for (const char *at = token; *at != 0; at++) {
        if (*at != '.') continue;
        if (at == token || at[-1] == '.' || at[1] == 0) return 0;
        parts++;
    }
    return parts == 3;
}

static int is_good(struct connection *connection, const char *body) {
    char access[TOKEN_BYTES_MAX], refresh[TOKEN_BYTES_MAX];
    if (strncmp(connection->answer, "HTTP/1.1 200", 12) != 0) return 0;
    for (size_t index = 0; index < required_count; index++)
        if (strstr(body, required[index]) == NULL) return 0;
    static const char *own_names[] = {"accessToken", "refreshToken"};
    static const char *oauth_names[] = {"access_token", "refresh_token"};
    const char **own = form == NULL ? own_names : oauth_names;
    if (member(body, own[0], access) == 0 || !is_compact_jwt(access)) return 0;
    if (member(body, own[1], refresh) == 0) return 0;
    if (refreshes) {
        if (strcmp(refresh, lines[connection->line]) == 0) return 0;
        strcpy(lines[connection->line], refresh);
    }
    return 1;
}

static void judge(struct connection *connection, const char *body) {
    long time = now();
    if (!is_good(connection, body)) {
        if (wrong++ == 0)
            snprintf(first_wrong, sizeof first_wrong, "%.500s", connection->answer);
        return;
    }
    if (answers != NULL && good % every == 0)
        fprintf(answers, "%s\t%s\n", connection->body, body);
    good++;
    if (time >= counted_from && time <= until) in_time++, last_answer = time;
    // A slow response after the end of the time still counts for the latencies.
    if (connection->began >= counted_from && latency_count < LATENCIES_MAX)
        latencies[latency_count++] = (uint32_t)(time - connection->began);
}

/// Reads available data. 1: a response is complete. 0: incomplete. -1: the connection failed.
static int receive(struct connection *connection) {
    ssize_t got = recv(
        connection->descriptor, connection->answer + connection->have,
        ANSWER_BYTES_MAX - connection->have, 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
    if (got <= 0) return -1;
    connection->have += (size_t)got;
    connection->answer[connection->have] = 0;
    const char *body = strstr(connection->answer, "\r\n\r\n");
    if (body == NULL) return 0;
    body += 4;
    const char *length = strcasestr(connection->answer, "\r\ncontent-length:");
    if (length == NULL || length > body) return -1;
    unsigned long count = strtoul(length + 17, NULL, 10);
    size_t head = (size_t)(body - connection->answer);
    if (count > ANSWER_BYTES_MAX - head) return -1;
    if (connection->have < head + count) return 0;
    if (connection->have > head + count) return -1;
    judge(connection, body);
    return 1;
}

/// Sends the requests that are due over free connections. Returns the microseconds to the next one.
static long ask_due(void) {
    while (idle != NULL && !is_over) {
        long time = now();
        long due = rate > 0 ? counted_from + (long)((double)asked * 1e6 / rate) : time;
        if (due > time) return due - time;
        struct connection *connection = idle;
        is_over = time >= until || !choose(connection);
        if (is_over) break;
        idle = connection->next;
        connection->is_busy = 1;
        busy++, asked++;
        ask(connection, due);
    }
    return 1000000;
}

static void run(struct connection *connections, int poller) {
    for (size_t index = connection_count; index-- > 0;) {
        struct connection *connection = &connections[index];
        connection->first_line = connection->line = index;
        dial(connection, poller);
        connection->next = idle;
        idle = connection;
    }
    struct epoll_event events[CONNECTIONS_MAX];
    long deadline = until + PATIENCE_MICROSECONDS;
    for (long wait = ask_due(); !(is_over && busy == 0); wait = ask_due()) {
        if (now() >= deadline || wrong >= WRONG_MAX) break;
        struct timespec timeout = {wait / 1000000, wait % 1000000 * 1000};
        int ready = epoll_pwait2(poller, events, CONNECTIONS_MAX, &timeout, NULL);
        for (int index = 0; index < ready; index++) {
            struct connection *connection = events[index].data.ptr;
            // The server may close a connection that is not in use.
            int verdict = connection->is_busy ? receive(connection) : -1;
            if (verdict == 0) continue;
            if (verdict < 0) epoll_ctl(poller, EPOLL_CTL_DEL, connection->descriptor, NULL);
            if (!connection->is_busy) continue;
            connection->is_busy = 0;
            busy--;
            if (verdict < 0) {
                broken++;
                close(connection->descriptor);
            } else {
                connection->next = idle;
                idle = connection;
                ask_due();
            }
        }
    }
    broken += (long)busy;
}

static int compare(const void *one, const void *other) {
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

static double quantile(double part) {
    if (latency_count == 0) return -1;
    return latencies[(size_t)(part * (double)(latency_count - 1))] / 1000.0;
}

static void print_text(const char *text) {
    putchar('"');
    for (; *text != 0; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\') printf("\\%c", byte);
        else if (byte < 32 || byte > 126) printf("\\u%04x", byte);
        else putchar(byte);
    }
    putchar('"');
}

int main(int count, char **arguments) {
    const char *bodies = NULL, *tokens = NULL;
    double seconds = 0;
    if (count < 3 || count % 2 == 0) fail("usage");
    path = arguments[2];
    for (int index = 3; index + 1 < count; index += 2) {
        const char *name = arguments[index], *value = arguments[index + 1];
        if (strcmp(name, "--bodies") == 0) bodies = value;
        else if (strcmp(name, "--tokens") == 0) tokens = value;
        else if (strcmp(name, "--connections") == 0) connection_count = strtoul(value, NULL, 10);
        else if (strcmp(name, "--seconds") == 0) seconds = atof(value);
        else if (strcmp(name, "--rate") == 0) rate = atof(value);
        else if (strcmp(name, "--form") == 0) form = value;
        else if (strcmp(name, "--every") == 0) every = atol(value);
        else if (strcmp(name, "--require") == 0 && required_count < REQUIRED_MAX)
            required[required_count++] = value;
        else if (strcmp(name, "--answers") == 0) {
            if ((answers = fopen(value, "w")) == NULL) fail(value);
        } else fail(name);
    }
    if ((bodies == NULL) == (tokens == NULL)) fail("either --bodies or --tokens");
    if (connection_count < 1 || connection_count > CONNECTIONS_MAX || every < 1) fail("a number");
    refreshes = tokens != NULL;
    uses_lines_once = !refreshes || seconds <= 0;
    read_lines(refreshes ? tokens : bodies);
    if (refreshes && line_count < connection_count) fail("each connection needs a token");
    address.sin_port = htons((unsigned short)atoi(arguments[1]));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (getrandom(&client_address, sizeof client_address, 0) < 0) fail("getrandom");
    struct connection *connections = calloc(connection_count, sizeof *connections);
    int poller = epoll_create1(EPOLL_CLOEXEC);
    if (connections == NULL || poller < 0) fail("memory");

    long began = now();
    counted_from = seconds > 0 ? began + WARM_UP_MICROSECONDS : began;
    until = seconds > 0 ? counted_from + (long)(seconds * 1e6) : began + PATIENCE_MICROSECONDS;
    run(connections, poller);
    // If the lines were used up before, the last response was the end.
    int is_early = uses_lines_once && next_line == line_count && last_answer > counted_from;
    double took = is_early ? (double)(last_answer - counted_from) / 1e6 : seconds;
    if (refreshes) write_tokens(tokens);
    if (answers != NULL && fclose(answers) != 0) fail("answers");
    qsort(latencies, latency_count, sizeof *latencies, compare);
    printf(
        "{\"answered\":%ld,\"counted\":%ld,\"seconds\":%.3f,\"rate\":%.1f,\"wrong\":%ld,"
        "\"broken\":%ld,\"p50\":%.3f,\"p90\":%.3f,\"p99\":%.3f,\"max\":%.3f,\"first_wrong\":",
        good, in_time, took, took > 0 ? (double)in_time / took : 0, wrong, broken, quantile(0.5),
        quantile(0.9), quantile(0.99), quantile(1));
    print_text(first_wrong);
    printf("}\n");
    return 0;
}
