#include "latchkey_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Programs for a process whose system call filter refuses to start any. A helper is forked before
// the filter is installed. For each run it gets a path, a time limit and an end of each of two
// socket pairs: one becomes standard input and output of the program, and to the other the helper
// writes how the program ended.

#define PATH_BYTES_MAX 1024
#define PROGRAMS_MAX 64
#define GRACE_MILLISECONDS 100

struct request {
    int32_t milliseconds;
    char path[PATH_BYTES_MAX + 1];
};

struct running {
    pid_t pid;
    int64_t deadline;
    int report;
};

/// The two sockets of a run.
struct connections {
    int streams, report;
};

union rights {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(struct connections))];
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// The helper

static void report(int socket, struct latchkey_ending ending) {
    (void)send(socket, &ending, sizeof ending, MSG_DONTWAIT | MSG_NOSIGNAL);
    close(socket);
}

/// Reaps the killed descendants of programs, which the helper has adopted.
static void reap_descendants(const struct running *programs, int count) {
    for (;;) {
        siginfo_t info = {.si_pid = 0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
        // This program has just ended. The next turn of the loop ends its process group first.
        for (int index = 0; index < count; index++)
            if (programs[index].pid == info.si_pid) return;
        (void)waitpid(info.si_pid, NULL, WNOHANG);
    }
}

/// Ends programs that are over their time, and descendants of ended programs. Returns how many
/// programs still run.
static int reap(struct running *programs, int count) {
    int kept = 0;
    for (int index = 0; index < count; index++) {
        struct running program = programs[index];
        siginfo_t info = {.si_pid = 0};
        // The zombie is kept until its group is killed, so that no other group can have the number.
        int has_ended =
            waitid(P_PID, (id_t)program.pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid != 0;
        if (!has_ended && program.deadline > now()) {
            programs[kept++] = program;
            continue;
        }
        kill(-program.pid, SIGKILL);
        while (waitpid(program.pid, NULL, 0) < 0 && errno == EINTR) {}
        int was_killed = info.si_code != CLD_EXITED;
        if (info.si_pid == 0) close(program.report);
        else
            report(program.report, (struct latchkey_ending){
                .kind = was_killed ? LATCHKEY_KILLED : LATCHKEY_EXITED, .code = info.si_status});
    }
    reap_descendants(programs, kept);
    return kept;
}

/// The next request and its socket; 0 when the function has ended.
static int receive(int control, struct request *request, struct connections *connections) {
    union rights rights;
    struct iovec part = {.iov_base = request, .iov_len = sizeof *request};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &rights,
        .msg_controllen = sizeof rights};
    ssize_t count = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR) return 1;
    if (count <= 0) return 0;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (count == sizeof *request && header != NULL && header->cmsg_type == SCM_RIGHTS)
        memcpy(connections, CMSG_DATA(header), sizeof *connections);
    return 1;
}

static void wake(int number) { (void)number; }

/// Lets SIGCHLD interrupt ppoll and nothing else. Returns the signal mask for ppoll.
static sigset_t wake_on_end_of_child(void) {
    sigset_t ends, others;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &others);
    sigdelset(&others, SIGCHLD);
    struct sigaction action = {.sa_handler = wake};
    sigaction(SIGCHLD, &action, NULL);
    return others;
}

static void start(
    const struct request *request, struct connections connections, char *const *environment,
    struct running *programs, int *count) {
    char *arguments[] = {(char *)request->path, NULL};
    struct latchkey_child child = {
        .path = request->path, .arguments = arguments, .environment = environment,
        .input = connections.streams, .output = connections.streams, .error = 2,
        .dies_with_parent = 1};
    int pid = *count < PROGRAMS_MAX ? latchkey_spawn(&child) : -EAGAIN;
    // Without a program, the function reads the end of the stream.
    close(connections.streams);
    if (pid < 0)
        return report(connections.report,
            (struct latchkey_ending){.kind = LATCHKEY_NOT_STARTED, .code = -pid});
    programs[(*count)++] = (struct running){
        .pid = pid, .deadline = now() + request->milliseconds, .report = connections.report};
}

static void serve(int control, char *const *environment) {
    struct running programs[PROGRAMS_MAX];
    int count = 0;
    sigset_t mask = wake_on_end_of_child();
    for (;;) {
        int64_t wait = -1;
        for (int index = 0; index < count; index++) {
            int64_t left = programs[index].deadline - now();
            if (left < 0) left = 0;
            if (wait < 0 || left < wait) wait = left;
        }
        struct pollfd ready = {.fd = control, .events = POLLIN};
        struct timespec time = {.tv_sec = wait / 1000, .tv_nsec = wait % 1000 * 1000000};
        int found = ppoll(&ready, 1, wait < 0 ? NULL : &time, &mask);
        count = reap(programs, count);
        if (found <= 0) continue;
        struct request request;
        struct connections connections = {-1, -1};
        if (!receive(control, &request, &connections)) {
            for (int index = 0; index < count; index++) kill(-programs[index].pid, SIGKILL);
            _exit(0);
        }
        if (connections.streams < 0) continue;
        request.path[PATH_BYTES_MAX] = 0;
        start(&request, connections, environment, programs, &count);
    }
}

int latchkey_start_helper(char *const *environment) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return -errno;
    pid_t pid = fork();
    if (pid < 0) {
        int code = errno;
        close(ends[0]);
        close(ends[1]);
        return -code;
    }
    if (pid > 0) {
        close(ends[1]);
        return ends[0];
    }
    // The helper is a copy of a process that knows secrets.
    (void)latchkey_limit_core();
    (void)latchkey_hide_memory();
    (void)latchkey_refuse_privileges();
    // The helper adopts the descendants of programs. Otherwise the function would adopt them, and
    // it does not reap them.
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    // The function's standard streams end with the function.
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int control = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
    if (nothing < 0 || control < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0) _exit(1);
    if (control > 3) syscall(SYS_close_range, 3u, (unsigned)control - 1, 0u);
    syscall(SYS_close_range, (unsigned)control + 1, ~0u, 0u);
    serve(control, environment);
    _exit(0);
}

// The function

static int send_request(
    int helper, const char *path, struct connections connections, int milliseconds) {
    struct request request = {.milliseconds = milliseconds + GRACE_MILLISECONDS};
    if (strlen(path) > PATH_BYTES_MAX) return -ENAMETOOLONG;
    strcpy(request.path, path);
    union rights rights;
    memset(&rights, 0, sizeof rights);
    rights.header.cmsg_level = SOL_SOCKET;
    rights.header.cmsg_type = SCM_RIGHTS;
    rights.header.cmsg_len = CMSG_LEN(sizeof connections);
    memcpy(CMSG_DATA(&rights.header), &connections, sizeof connections);
    struct iovec part = {.iov_base = &request, .iov_len = sizeof request};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &rights,
        .msg_controllen = sizeof rights};
    for (;;) {
        if (sendmsg(helper, &message, MSG_NOSIGNAL) >= 0) return 0;
        if (errno != EINTR) return -errno;
    }
}

static int64_t exchange(
    int connection, const uint8_t *input, size_t input_count, uint8_t *output, size_t output_max,
    int64_t deadline) {
    size_t sent = 0, received = 0;
    int is_sending = 1;
    for (;;) {
        if (is_sending && sent == input_count) {
            shutdown(connection, SHUT_WR);
            is_sending = 0;
        }
        int64_t left = deadline - now();
        if (left <= 0) return -ETIMEDOUT;
        struct pollfd ready = {
            .fd = connection, .events = (short)(POLLIN | (is_sending ? POLLOUT : 0))};
        int found = poll(&ready, 1, (int)left);
        if (found < 0 && errno != EINTR) return -errno;
        if (found <= 0) continue;
        if (is_sending && (ready.revents & (POLLOUT | POLLERR | POLLHUP))) {
            ssize_t count = send(
                connection, input + sent, input_count - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (count >= 0) sent += (size_t)count;
            // A program need not read its input.
            else if (errno == EPIPE || errno == ECONNRESET) sent = input_count;
            else if (errno != EAGAIN && errno != EINTR) return -errno;
        }
        if (ready.revents & (POLLIN | POLLERR | POLLHUP)) {
            // One byte more than allowed tells that there is more.
            uint8_t more;
            uint8_t *place = received < output_max ? output + received : &more;
            size_t room = received < output_max ? output_max - received : 1;
            ssize_t count = recv(connection, place, room, MSG_DONTWAIT);
            // A program that ends without having read everything resets the connection.
            if (count == 0 || (count < 0 && errno == ECONNRESET)) return (int64_t)received;
            if (count < 0 && errno != EAGAIN && errno != EINTR) return -errno;
            if (count > 0 && received == output_max) return -EMSGSIZE;
            if (count > 0) received += (size_t)count;
        }
    }
}

/// Waits until the helper reports. The kind is 0 if it does not, for example because it has ended.
static int64_t wait_for_ending(int report, int64_t deadline, struct latchkey_ending *ending) {
    for (;;) {
        int64_t left = deadline - now();
        if (left <= 0) return -ETIMEDOUT;
        struct pollfd ready = {.fd = report, .events = POLLIN};
        int found = poll(&ready, 1, (int)left);
        if (found < 0 && errno != EINTR) return -errno;
        if (found <= 0) continue;
        if (recv(report, ending, sizeof *ending, MSG_DONTWAIT) != sizeof *ending)
            ending->kind = 0;
        return 0;
    }
}

int64_t latchkey_run_program(
    int helper, const char *path, const uint8_t *input, size_t input_count, uint8_t *output,
    size_t output_max, int milliseconds, struct latchkey_ending *ending) {
    int64_t deadline = now() + milliseconds;
    int streams[2], reports[2];
    ending->kind = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, streams) != 0) return -errno;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, reports) != 0) {
        int code = errno;
        close(streams[0]);
        close(streams[1]);
        return -code;
    }
    struct connections connections = {.streams = streams[1], .report = reports[1]};
    int64_t result = send_request(helper, path, connections, milliseconds);
    close(streams[1]);
    close(reports[1]);
    if (result == 0)
        result = exchange(streams[0], input, input_count, output, output_max, deadline);
    if (result == 0) result = wait_for_ending(reports[0], deadline, ending);
    close(streams[0]);
    close(reports[0]);
    return result;
}
