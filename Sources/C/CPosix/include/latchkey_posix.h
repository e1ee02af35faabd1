#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Functions that Swift's Glibc module does not export, because it is built without _GNU_SOURCE.
// Every function returns 0 or a count on success and -errno on failure, unless stated otherwise.

/// The parameters of a child. Pointers are borrowed for the duration of the call.
struct latchkey_child {
    const char *_Nonnull path;
    char *_Nullable const *_Nonnull arguments;
    char *_Nullable const *_Nonnull environment;
    /// NULL keeps the parent's working directory.
    const char *_Nullable directory;
    /// These become descriptors 0, 1 and 2. Each must be 3 or more.
    int input, output, error;
    /// Limits of setrlimit(2); 0 sets none. The hard limit is set as well.
    uint64_t data_bytes_max, file_bytes_max, open_files_max, user_processes_max;
    /// Whether the child gets SIGKILL when the thread that spawned it ends.
    int dies_with_parent;
};

/// Starts a child in a new session, and so in a new process group; returns its pid.
int latchkey_spawn(const struct latchkey_child *_Nonnull child);

int latchkey_pidfd_open(pid_t pid);

/// Forks a helper that starts programs for this process, also after `latchkey_filter_calls`.
/// Returns a descriptor. The helper ends when the descriptor is closed. Call this before a second
/// thread starts.
int latchkey_start_helper(char *_Nullable const *_Nonnull environment);
#define LATCHKEY_NOT_STARTED 1
#define LATCHKEY_EXITED 2
#define LATCHKEY_KILLED 3

/// How a program ended.
struct latchkey_ending {
    /// One of the numbers above; 0 if it is unknown.
    int kind;
    /// An errno, an exit status or a signal.
    int code;
};

/// Runs a program without arguments, with `input` as its standard input, and returns the size of
/// its standard output: -EMSGSIZE if that is larger than `output_max`, -ETIMEDOUT after the time
/// limit, at which the program and its descendants are killed. `ending` is set if there was no
/// output.
int64_t latchkey_run_program(
    int helper, const char *_Nonnull path, const uint8_t *_Nullable input, size_t input_count,
    uint8_t *_Nonnull output, size_t output_max, int milliseconds,
    struct latchkey_ending *_Nonnull ending);

/// Opens a pipe, close-on-exec on both ends. Each descriptor is 3 or more.
int latchkey_pipe(int *_Nonnull read_end, int *_Nonnull write_end);
int latchkey_set_nonblocking(int descriptor);
/// The number of unread bytes in a pipe.
int latchkey_unread(int read_end);

/// Accepts a connection, close-on-exec and non-blocking.
int latchkey_accept(int listener);

/// Opens an anonymous file, close-on-exec, which is removed when its last descriptor is closed.
int latchkey_memory_open(void);
/// Opens a file of mode 0600 in a folder that has no name until it is linked, and is removed when
/// it is closed before. Not all file systems support that.
int latchkey_unnamed_open(const char *_Nonnull folder);
/// Returns -1 and sets errno on failure.
int latchkey_unnamed_link(int descriptor, const char *_Nonnull path);
/// Deallocates a range of a file; it reads as zeros afterwards.
int latchkey_punch_hole(int descriptor, off_t offset, off_t count);

/// Open an eventfd and an epoll set, close-on-exec.
int latchkey_event_open(void);
int latchkey_epoll_open(void);
int latchkey_epoll_add(int set, int descriptor, int for_writing, uint64_t token);
/// Reports one event; then the descriptor is in the set, but not watched.
int latchkey_epoll_once(int set, int descriptor, int for_writing, uint64_t token, int is_new);
int latchkey_epoll_remove(int set, int descriptor);
/// Fills in the tokens that are ready and returns their number. A negative timeout waits without
/// limit.
int latchkey_epoll_wait(
    int set, uint64_t *_Nonnull tokens, int tokens_max, int milliseconds);

/// Makes orphaned descendants children of this process instead of init.
int latchkey_adopt_orphans(void);

/// Gets the exit status of a child without blocking. Returns 1 and fills in the results if the
/// child has ended, and 0 while it runs.
int latchkey_wait(pid_t pid, int *_Nonnull status, int *_Nonnull signal, int64_t *_Nonnull
    resident_bytes_max);
/// Reaps the dead children of a process group. Returns 1 if children of this process in the group
/// are alive, otherwise 0.
int latchkey_reap_group(pid_t group);

// Restrictions for the lifetime of the process. Each returns 0, or -errno if the kernel or a
// sandbox does not allow it.

/// Returns blocks of a MiB and more to the kernel when they are freed, from any thread. Like
/// mallopt(3), returns 1 on success and 0 otherwise.
int latchkey_return_large_blocks(void);
/// Disables core dumps, which would write secrets to disk.
int latchkey_limit_core(void);
/// Lowers the limit of descriptors.
int latchkey_limit_open_files(uint64_t count);
/// Lowers the limit of writable private memory (RLIMIT_DATA).
int latchkey_limit_data(uint64_t bytes);
/// Prevents other processes of the same user from tracing this one and reading its memory.
int latchkey_hide_memory(void);
/// Returns 1 if `latchkey_hide_memory` is in effect, otherwise 0.
int latchkey_hides_memory(void);
/// Prevents started programs from gaining privileges. A filter of system calls needs this if the
/// process itself has no privileges.
int latchkey_refuse_privileges(void);
/// Refuses system calls that a function never makes: other programs and processes, tracing,
/// modules, mounts. Does not affect threads that run already.
int latchkey_filter_calls(void);
