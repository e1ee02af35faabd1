#include "latchkey_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// posix_spawn cannot set resource limits or a parent-death signal, so this does the same as glibc's
// posix_spawn (vfork, then only async-signal-safe calls in the child) with these two steps added.
// vfork shares memory but not descriptors: its cost does not depend on the size of the emulator,
// and the child can report errno in a variable of the parent.

static int limit(int resource, uint64_t value) {
    if (value == 0) return 0;
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) return -1;
    rlim_t wanted = (rlim_t)value;
    if (now.rlim_max != RLIM_INFINITY && wanted > now.rlim_max) wanted = now.rlim_max;
    struct rlimit next = {.rlim_cur = wanted, .rlim_max = wanted};
    return setrlimit(resource, &next);
}

static int become(const struct latchkey_child *child, pid_t parent) {
    // Ignored signals remain ignored after execve; handlers are reset.
    struct sigaction original = {.sa_handler = SIG_DFL};
    for (int number = 1; number < 32; number++)
        if (number != SIGKILL && number != SIGSTOP) sigaction(number, &original, NULL);
    if (setsid() < 0) return errno;
    if (child->dies_with_parent) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
        // The parent may have died before prctl: then no signal would be sent.
        if (getppid() != parent) _exit(127);
    }
    if (dup2(child->input, 0) < 0 || dup2(child->output, 1) < 0 || dup2(child->error, 2) < 0)
        return errno;
    // Our descriptors are close-on-exec; descriptors of a library may not be.
    syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
    if (child->directory != NULL && chdir(child->directory) != 0) return errno;
    struct rlimit no_core = {0, 0};
    if (setrlimit(RLIMIT_CORE, &no_core) != 0 || limit(RLIMIT_DATA, child->data_bytes_max) != 0 ||
        limit(RLIMIT_FSIZE, child->file_bytes_max) != 0 ||
        limit(RLIMIT_NOFILE, child->open_files_max) != 0 ||
        limit(RLIMIT_NPROC, child->user_processes_max) != 0)
        return errno;
    sigset_t none;
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) return errno;
    execve(child->path, child->arguments, child->environment);
    return errno;
}

int latchkey_spawn(const struct latchkey_child *child) {
    volatile int failure = 0;
    pid_t parent = getpid();
    sigset_t all, before;
    sigfillset(&all);
    // No signal handler may run in the child, because it shares the parent's memory.
    pthread_sigmask(SIG_SETMASK, &all, &before);
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    pid_t pid = vfork();
#pragma clang diagnostic pop
    if (pid == 0) {
        failure = become(child, parent);
        _exit(127);
    }
    int fork_failure = pid < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (fork_failure != 0) return -fork_failure;
    if (failure != 0) {
        int status, number;
        int64_t bytes;
        while (latchkey_wait(pid, &status, &number, &bytes) == 0) usleep(100);
        return -failure;
    }
    return pid;
}
