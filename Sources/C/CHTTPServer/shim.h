#pragma once
#include <limits.h>
#include <malloc.h>
#include <microhttpd.h>
#include <sys/socket.h>

// Swift cannot call variadic functions, so this starts the server with its one configuration.
struct latchkey_http_settings {
    unsigned int connections_max;
    unsigned int idle_seconds_max;
    size_t connection_bytes_max;
    // PEM texts for TLS, or both NULL. Only read during the start.
    const char *certificate_chain;
    const char *private_key;
    const char *tls_priorities;
    MHD_AccessHandlerCallback handler;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    void *(*started)(void *, const char *, struct MHD_Connection *);
    void *context;
};

static inline struct MHD_Daemon *latchkey_http_start(const struct latchkey_http_settings *s) {
    unsigned int flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME
        | MHD_USE_TURBO;
    struct MHD_OptionItem tls[4] = {{MHD_OPTION_END, 0, NULL}};
    if (s->private_key != NULL) {
        flags |= MHD_USE_TLS;
        void *chain = (void *)s->certificate_chain;
        tls[0] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, chain};
        tls[1] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)s->private_key};
        tls[2] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)s->tls_priorities};
        tls[3] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    }
    return MHD_start_daemon(
        flags, 0, NULL, NULL, s->handler, s->context,
        MHD_OPTION_CONNECTION_LIMIT, s->connections_max,
        MHD_OPTION_CONNECTION_TIMEOUT, s->idle_seconds_max,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, s->connection_bytes_max,
        // The value 1 would add one check, for the Host header, but version 0.9.75 then sends a
        // duplicate response head. So the emulator checks Host itself. Line ends and white space
        // are checked strictly at 0 too.
        MHD_OPTION_STRICT_FOR_CLIENT, 0,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_NOTIFY_COMPLETED, s->completed, s->context,
        MHD_OPTION_NOTIFY_CONNECTION, s->connection, s->context,
        MHD_OPTION_URI_LOG_CALLBACK, s->started, s->context,
        MHD_OPTION_ARRAY, tls,
        MHD_OPTION_END);
}

// Takes ownership of the socket and closes it on failure.
static inline void latchkey_http_add(struct MHD_Daemon *daemon, int socket) {
    // libmicrohttpd would only pass this address back; the peer's address is read from the socket.
    struct sockaddr address = {.sa_family = AF_INET};
    MHD_add_connection(daemon, socket, &address, sizeof address);
}

// A descriptor that is readable when `MHD_run` has something to do.
static inline int latchkey_http_events(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

// The milliseconds until `MHD_run` must be called without an event: 0 is now, -1 is never.
static inline int latchkey_http_milliseconds_left(struct MHD_Daemon *daemon) {
    unsigned long long left;
    if (MHD_get_timeout(daemon, &left) != MHD_YES) return -1;
    return left > INT_MAX ? INT_MAX : (int)left;
}

static inline int latchkey_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

static inline void *latchkey_http_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

// The size of the request head, from the method to the empty line.
static inline size_t latchkey_http_head_bytes(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}
