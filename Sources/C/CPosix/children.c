#include "latchkey_posix.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

int latchkey_adopt_orphans(void) {
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? 0 : -errno;
}

int latchkey_wait(pid_t pid, int *status, int *signal, int64_t *resident_bytes_max) {
    struct rusage usage;
    int word;
    pid_t done;
    do done = wait4(pid, &word, WNOHANG, &usage);
    while (done < 0 && errno == EINTR);
    if (done == 0) return 0;
    // The child was reaped elsewhere in this process. Its exit status is lost, but it has ended.
    if (done < 0) word = SIGKILL, usage.ru_maxrss = 0;
    *status = WIFEXITED(word) ? WEXITSTATUS(word) : 0;
    *signal = WIFSIGNALED(word) ? WTERMSIG(word) : 0;
    *resident_bytes_max = (int64_t)usage.ru_maxrss * 1024;
    return 1;
}

int latchkey_reap_group(pid_t group) {
    for (;;) {
        pid_t done = waitpid(-group, NULL, WNOHANG);
        if (done > 0 || (done < 0 && errno == EINTR)) continue;
        return done == 0 ? 1 : 0;
    }
}
