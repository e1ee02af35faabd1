// The load generator: replays prepared HTTP/1.1 requests over loopback and checks every response.
//
// usage: load PORT [--connections N] [--seconds S | --each N] [--status N] [--expect TEXT]
//             [--refusal N] [--idle N] < REQUESTS
//
// REQUESTS is a sequence of "<decimal count>\n<that many bytes>"; each connection cycles
// through it. An answer counts if it has the expected status and its body contains the text. With
// --each every connection sends that many requests, all at once. An answer with the status of
// --refusal is not wrong: its request is sent again after 50 ms, and its latency includes the wait.
// With --idle that many more connections are opened, used once, kept idle during the load, and used
// again. Prints one line of JSON: `answered` and `rate` count the requests that began in the time,
// `in_time` the answers that came in it, `good` all.

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    REQUESTS_MAX = 65536,
    ANSWER_BYTES_MAX = 1 << 20,
    FINE_MICROSECONDS_MAX = 1000000,
    COARSE_MILLISECONDS_MAX = 600000,
    // Requests sent during the warm-up are not counted.
    WARM_UP_MICROSECONDS = 200000,
    DRAIN_MICROSECONDS_MAX = 30000000,
    REFUSED_MICROSECONDS = 50000,
};

struct request { const char *bytes; size_t count; };

struct client {
    int descriptor;
    size_t turn, sent, have, room, asked;
    long began, again;
    char *answer;
    struct client *next;
};

static struct request requests[REQUESTS_MAX];
static size_t request_count;
static struct sockaddr_in address = {.sin_family = AF_INET};
static const char *expected_text = "";
static int expected_status = 200, refusal_status = -1;
static int poller;
static unsigned fine[FINE_MICROSECONDS_MAX], coarse[COARSE_MILLISECONDS_MAX];
static long answered, wrong, broken, reopened, good, in_time, refused;
// The clients that wait after a refusal, the longest waiting first.
static struct client *waiting, **last_waiting = &waiting;
static char first_wrong[512];

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void fail(const char *what) {
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void read_requests(void) {
    size_t count = 0, room = 1 << 20;
    char *bytes = malloc(room);
    for (size_t got; (got = fread(bytes + count, 1, room - count, stdin)) > 0;) {
        count += got;
        if (count == room) bytes = realloc(bytes, room *= 2);
        if (bytes == NULL) fail("memory");
    }
    for (size_t at = 0; at < count;) {
        char *end;
        size_t length = strtoul(bytes + at, &end, 10);
        at = (size_t)(end - bytes) + 1;
        if (*end != '\n' || at + length > count || request_count == REQUESTS_MAX) fail("requests");
        requests[request_count++] = (struct request){bytes + at, length};
        at += length;
    }
    if (request_count == 0) fail("no requests");
}

static void dial(struct client *client, int is_polled) {
    client->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client->descriptor < 0) fail("socket");
    int yes = 1;
    setsockopt(client->descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(client->descriptor, (struct sockaddr *)&address, sizeof address) != 0)
        fail("connect");
    if (!is_polled) return;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, client->descriptor, &event) != 0) fail("epoll_ctl");
}

static void transmit(struct client *client) {
    const struct request *request = &requests[(client->turn - 1) % request_count];
    client->have = 0;
    for (size_t sent = 0; sent < request->count;) {
        ssize_t got = send(
            client->descriptor, request->bytes + sent, request->count - sent, MSG_NOSIGNAL);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return;  // The error shows when the answer is read.
        sent += (size_t)got;
    }
}

static void ask(struct client *client) {
    client->turn++;
    client->asked++;
    client->began = now();
    transmit(client);
}

static void wait_after_refusal(struct client *client, long time) {
    refused++;
    client->again = time + REFUSED_MICROSECONDS;
    client->next = NULL;
    *last_waiting = client;
    last_waiting = &client->next;
}

/// Sends the requests whose wait has ended. Returns the milliseconds until the next one.
static int ask_again(long time) {
    while (waiting != NULL && waiting->again <= time) {
        struct client *client = waiting;
        waiting = client->next;
        if (waiting == NULL) last_waiting = &waiting;
        transmit(client);
    }
    return waiting == NULL ? 1000 : (int)((waiting->again - time) / 1000 + 1);
}

static const char *find(const char *from, const char *end, const char *text) {
    return memmem(from, (size_t)(end - from), text, strlen(text));
}

static const char *header(const char *from, const char *end, const char *name) {
    size_t length = strlen(name);
    for (const char *line = find(from, end, "\r\n"); line != NULL && line + 4 < end;
         line = find(line + 2, end, "\r\n")) {
        if (strncasecmp(line + 2, name, length) == 0) return line + 2 + length;
    }
    return NULL;
}

/// 0: incomplete. 1: as expected. 2: refused. -1: unexpected. `*closes` if the server will close.
static int judge(struct client *client, int *closes) {
    const char *start = client->answer, *have = start + client->have;
    const char *body = find(start, have, "\r\n\r\n");
    if (body == NULL) return 0;
    const char *head_end = body + 2;
    body += 4;
    const char *length = header(start, head_end, "content-length:");
    const char *coding = header(start, head_end, "transfer-encoding:");
    int status = atoi(start + 9);
    if (coding != NULL) {
        if (find(body - 2, have, "\r\n0\r\n\r\n") == NULL) return 0;
    } else if (length != NULL && have - body < atol(length)) {
        return 0;
    }
    const char *connection = header(start, head_end, "connection:");
    *closes = connection != NULL
        && strncasecmp(connection + strspn(connection, " "), "close", 5) == 0;
    if (status == refusal_status) return 2;
    return status == expected_status && find(body, have, expected_text) != NULL ? 1 : -1;
}

static void count_answer(struct client *client, int verdict, long counted_from, long until) {
    if (verdict < 0) {
        if (wrong++ == 0) snprintf(first_wrong, sizeof first_wrong, "%s", client->answer);
        return;
    }
    long time = now();
    good++;
    if (time >= counted_from && time <= until) in_time++;
    if (client->began < counted_from) return;
    long took = time - client->began;
    answered++;
    if (took < FINE_MICROSECONDS_MAX) fine[took]++;
    else if (took / 1000 < COARSE_MILLISECONDS_MAX) coarse[took / 1000]++;
}

/// Reads available data. Returns the same as `judge`; -2: the connection failed.
static int receive(struct client *client, int *closes) {
    if (client->room - client->have < 4096) {
        client->room = client->room == 0 ? 16384 : client->room * 2;
        if (client->room > ANSWER_BYTES_MAX) fail("an answer is too large");
        client->answer = realloc(client->answer, client->room + 1);
        if (client->answer == NULL) fail("memory");
    }
    ssize_t got = recv(
        client->descriptor, client->answer + client->have, client->room - client->have, 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
    if (got <= 0) return -2;
    client->have += (size_t)got;
    client->answer[client->have] = 0;
    return judge(client, closes);
}

static void redial(struct client *client) {
    close(client->descriptor);
    dial(client, 1);
}

static void run(struct client *clients, size_t count, double seconds, size_t each) {
    long began = now();
    long counted_from = each > 0 ? began : began + WARM_UP_MICROSECONDS;
    long until = each > 0 ? began + DRAIN_MICROSECONDS_MAX : counted_from + (long)(seconds * 1e6);
    size_t busy = count;
    for (size_t index = 0; index < count; index++) {
        clients[index].turn = index * request_count / count;
        dial(&clients[index], 1);
    }
    for (size_t index = 0; index < count; index++) ask(&clients[index]);
    struct epoll_event events[256];
    while (busy > 0) {
        int ready = epoll_wait(poller, events, 256, ask_again(now()));
        long time = now();
        if (time > until + (each > 0 ? 0 : DRAIN_MICROSECONDS_MAX)) break;
        for (int index = 0; index < ready; index++) {
            struct client *client = events[index].data.ptr;
            int closes = 0, verdict = receive(client, &closes);
            if (verdict == 0) continue;
            if (verdict == 2) {
                if (closes) reopened++, redial(client);
                wait_after_refusal(client, time);
                continue;
            }
            int may_ask = each > 0 ? client->asked < each : time < until;
            if (verdict == -2) {
                // A server may close the connection between responses, but not within one.
                broken++;
                closes = 1;
            } else {
                count_answer(client, verdict, counted_from, until);
            }
            if (closes && may_ask) {
                reopened++;
                redial(client);
            } else if (closes) {
                close(client->descriptor);
            }
            if (may_ask) {
                ask(client);
                continue;
            }
            busy--;
            // The server may close it while others still wait.
            if (!closes) epoll_ctl(poller, EPOLL_CTL_DEL, client->descriptor, NULL);
        }
    }
    broken += (long)busy;
}

/// Sends a request on each of the idle connections in turn.
static void visit(struct client *clients, size_t count) {
    for (size_t index = 0; index < count; index++) {
        int closes = 0, verdict;
        ask(&clients[index]);
        do verdict = receive(&clients[index], &closes);
        while (verdict == 0);
        if (verdict == -2) broken++;
        else if (verdict < 0) count_answer(&clients[index], verdict, 0, 0);
        free(clients[index].answer);
        clients[index].answer = NULL;
        clients[index].room = 0;
    }
}

static double quantile(double part) {
    long rank = (long)(part * (double)(answered - 1)), seen = 0;
    for (long index = 0; index < FINE_MICROSECONDS_MAX; index++)
        if ((seen += fine[index]) > rank) return (double)index / 1000;
    for (long index = 0; index < COARSE_MILLISECONDS_MAX; index++)
        if ((seen += coarse[index]) > rank) return (double)index;
    return -1;
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
    size_t connections = 1, idle = 0, each = 0;
    double seconds = 2;
    if (count < 2 || count % 2 != 0) fail("usage");
    for (int index = 2; index + 1 < count; index += 2) {
        const char *name = arguments[index], *value = arguments[index + 1];
        if (strcmp(name, "--connections") == 0) connections = strtoul(value, NULL, 10);
        else if (strcmp(name, "--seconds") == 0) seconds = atof(value);
        else if (strcmp(name, "--each") == 0) each = strtoul(value, NULL, 10);
        else if (strcmp(name, "--status") == 0) expected_status = atoi(value);
        else if (strcmp(name, "--expect") == 0) expected_text = value;
        else if (strcmp(name, "--refusal") == 0) refusal_status = atoi(value);
        else if (strcmp(name, "--idle") == 0) idle = strtoul(value, NULL, 10);
        else fail(name);
    }
    address.sin_port = htons((unsigned short)atoi(arguments[1]));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    read_requests();
    poller = epoll_create1(EPOLL_CLOEXEC);
    struct client *idlers = calloc(idle + 1, sizeof *idlers);
    struct client *clients = calloc(connections, sizeof *clients);
    for (size_t index = 0; index < idle; index++) dial(&idlers[index], 0);
    visit(idlers, idle);
    if (idle > 0) {
        // The server's memory is measured now.
        fprintf(stderr, "held\n");
    }
    long began = now();
    run(clients, connections, seconds, each);
    double took = each > 0 ? (double)(now() - began) / 1e6 : seconds;
    visit(idlers, idle);
    printf(
        "{\"answered\":%ld,\"seconds\":%.3f,\"rate\":%.1f,\"wrong\":%ld,\"broken\":%ld,"
        "\"reopened\":%ld,\"good\":%ld,\"in_time\":%ld,\"refused\":%ld,"
        "\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f,\"first_wrong\":",
        answered, took, (double)answered / took, wrong, broken, reopened, good, in_time, refused,
        quantile(0.5), quantile(0.99), quantile(1));
    print_text(first_wrong);
    printf("}\n");
    return 0;
}
