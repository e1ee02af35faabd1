#include "latchkey_posix.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int latchkey_limit(int resource, uint64_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return -errno;
    // Lowers the limits and never raises them.
    if (limit.rlim_cur <= value && limit.rlim_max <= value) return 0;
    if (limit.rlim_max > value) limit.rlim_max = value;
    if (limit.rlim_cur > value) limit.rlim_cur = value;
    return setrlimit(resource, &limit) == 0 ? 0 : -errno;
}

// By default glibc raises this threshold to the size of the largest freed block (mallopt(3)) and
// keeps later blocks in the arena of each thread: a password hash takes 19 MiB or more.
int latchkey_return_large_blocks(void) { return mallopt(M_MMAP_THRESHOLD, 1 << 20); }

int latchkey_limit_core(void) { return latchkey_limit(RLIMIT_CORE, 0); }
int latchkey_limit_open_files(uint64_t count) { return latchkey_limit(RLIMIT_NOFILE, count); }
int latchkey_limit_data(uint64_t bytes) { return latchkey_limit(RLIMIT_DATA, bytes); }

// prctl is variadic and reads five words: an int would leave half of a word undefined.
static int control(int option, unsigned long value) {
    int result = prctl(option, value, 0UL, 0UL, 0UL);
    return result < 0 ? -errno : result;
}

int latchkey_hide_memory(void) { return control(PR_SET_DUMPABLE, 0); }
int latchkey_hides_memory(void) { return control(PR_GET_DUMPABLE, 0) == 0; }
int latchkey_refuse_privileges(void) { return control(PR_SET_NO_NEW_PRIVS, 1); }

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

// System calls that a function never makes.
static const uint32_t refused_calls[] = {
#ifdef __x86_64__
    SYS_fork, SYS_vfork,
#endif
    // Other programs.
    SYS_execve, SYS_execveat,
    // The memory of other processes.
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_kcmp,
    // Large parts of the kernel that a function does not use.
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_bpf, SYS_perf_event_open,
    SYS_userfaultfd, SYS_add_key, SYS_request_key, SYS_keyctl,
    // Calls that change the machine or leave a container.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns,
    SYS_open_by_handle_at, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
    SYS_reboot, SYS_swapon, SYS_swapoff,
};

#define CALLS_COUNT (sizeof refused_calls / sizeof refused_calls[0])
#define INSTRUCTIONS_MAX (16 + 2 * CALLS_COUNT)

struct program {
    struct sock_filter instructions[INSTRUCTIONS_MAX];
    unsigned short count;
};

static void add(
    struct program *program, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    struct sock_filter instruction = {code, if_true, if_false, value};
    program->instructions[program->count++] = instruction;
}

static void load(struct program *program, size_t offset) {
    add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct program *program, uint32_t result) {
    add(program, BPF_RET | BPF_K, result, 0, 0);
}

#define REFUSE(code) (SECCOMP_RET_ERRNO | (code))

int latchkey_filter_calls(void) {
    struct program program = {.count = 0};
    // Another architecture has other system call numbers, and so has x32.
    load(&program, offsetof(struct seccomp_data, arch));
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    answer(&program, REFUSE(EPERM));
    load(&program, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    add(&program, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    answer(&program, REFUSE(EPERM));
#endif
    // A filter cannot see the flags of clone3. If clone3 is absent, the C library uses clone, whose
    // flags are the first argument on both architectures. New threads are allowed, new processes
    // are not.
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
    answer(&program, REFUSE(ENOSYS));
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
    load(&program, offsetof(struct seccomp_data, args[0]));
    add(&program, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
    answer(&program, SECCOMP_RET_ALLOW);
    answer(&program, REFUSE(EPERM));
    for (size_t index = 0; index < CALLS_COUNT; index++) {
        add(&program, BPF_JMP | BPF_JEQ | BPF_K, refused_calls[index], 0, 1);
        answer(&program, REFUSE(EPERM));
    }
    answer(&program, SECCOMP_RET_ALLOW);
    struct sock_fprog installed = {.len = program.count, .filter = program.instructions};
    int result = prctl(PR_SET_SECCOMP, (unsigned long)SECCOMP_MODE_FILTER, &installed, 0UL, 0UL);
    return result == 0 ? 0 : -errno;
}

#else

int latchkey_filter_calls(void) { return -ENOSYS; }

#endif
