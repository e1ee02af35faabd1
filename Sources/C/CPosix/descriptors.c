#include "latchkey_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int result(int value) { return value < 0 ? -errno : value; }

int latchkey_pidfd_open(pid_t pid) { return result((int)syscall(SYS_pidfd_open, pid, 0u)); }

// If 0, 1 or 2 is closed in the emulator, a child's pipe must not get that number.
static int above_standard(int descriptor) {
    if (descriptor > 2) return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    int code = errno;
    close(descriptor);
    errno = code;
    return moved;
}

int latchkey_pipe(int *read_end, int *write_end) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
    *read_end = above_standard(ends[0]);
    int code = errno;
    *write_end = above_standard(ends[1]);
    if (*read_end >= 0 && *write_end >= 0) return 0;
    if (*read_end >= 0) code = errno;
    if (*read_end >= 0) close(*read_end);
    if (*write_end >= 0) close(*write_end);
    return -code;
}

int latchkey_set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0) return -errno;
    return result(fcntl(descriptor, F_SETFL, flags | O_NONBLOCK));
}

int latchkey_unread(int read_end) {
    int count = 0;
    return ioctl(read_end, FIONREAD, &count) == 0 ? count : -errno;
}

int latchkey_accept(int listener) {
    return result(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

int latchkey_memory_open(void) { return result(memfd_create("latchkey", MFD_CLOEXEC)); }

int latchkey_punch_hole(int descriptor, off_t offset, off_t count) {
    int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    return result(fallocate(descriptor, mode, offset, count));
}

int latchkey_event_open(void) { return result(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int latchkey_epoll_open(void) { return result(epoll_create1(EPOLL_CLOEXEC)); }

int latchkey_epoll_add(int set, int descriptor, int for_writing, uint64_t token) {
    struct epoll_event event = {.events = for_writing ? EPOLLOUT : EPOLLIN, .data.u64 = token};
    return result(epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event));
}

int latchkey_epoll_once(int set, int descriptor, int for_writing, uint64_t token, int is_new) {
    struct epoll_event event = {
        .events = (for_writing ? EPOLLOUT : EPOLLIN) | EPOLLONESHOT, .data.u64 = token};
    return result(epoll_ctl(set, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event));
}

int latchkey_epoll_remove(int set, int descriptor) {
    struct epoll_event unused = {0};
    return result(epoll_ctl(set, EPOLL_CTL_DEL, descriptor, &unused));
}

int latchkey_epoll_wait(int set, uint64_t *tokens, int tokens_max, int milliseconds) {
    struct epoll_event events[64];
    if (tokens_max > 64) tokens_max = 64;
    int count = epoll_wait(set, events, tokens_max, milliseconds);
    if (count < 0) return -errno;
    for (int index = 0; index < count; index++) tokens[index] = events[index].data.u64;
    return count;
}

int latchkey_unnamed_open(const char *folder) {
    // Without /proc the file could not get its name.
    if (access("/proc/self/fd", X_OK) != 0) return -errno;
    int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return descriptor < 0 ? -errno : descriptor;
}

int latchkey_unnamed_link(int descriptor, const char *path) {
    char place[32];
    snprintf(place, sizeof place, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, place, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}
