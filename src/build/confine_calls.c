// SPDX-License-Identifier: Apache-2.0
//
// A list of what is refused, not of what is allowed: compilers differ in what they
// call, and a new C library must not break a build. The list has all that reaches
// another process, the network or the kernel itself, and what changes a file
// without opening it, which Landlock does not see.
#include "build/confine_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#    define AUDIT_ARCHITECTURE AUDIT_ARCH_X86_64
#    define OTHER_NUMBERS      0x40000000u // x32: the same calls once more
#elif defined(__aarch64__)
#    define AUDIT_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#    define AUDIT_ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#    define AUDIT_ARCHITECTURE AUDIT_ARCH_PPC64LE
#endif

enum {
    // Of every machine the same, and newer than some headers.
    CALL_IO_URING_SETUP = 425,
    CALL_OPEN_TREE = 428,
    CALL_MOVE_MOUNT = 429,
    CALL_FSOPEN = 430,
    CALL_FSCONFIG = 431,
    CALL_FSMOUNT = 432,
    CALL_FSPICK = 433,
    CALL_PIDFD_OPEN = 434,
    CALL_CLONE3 = 435,
    CALL_OPENAT2 = 437,
    CALL_PIDFD_GETFD = 438,
    CALL_PROCESS_MADVISE = 440,
    CALL_MOUNT_SETATTR = 442,
    CALL_FCHMODAT2 = 452,
    CALL_SETXATTRAT = 463,
    CALL_REMOVEXATTRAT = 466,
    CALL_OPEN_TREE_ATTR = 467,
    CALL_FILE_SETATTR = 469,
    CALL_PIDFD_SEND_SIGNAL = 424,
    NAMESPACES = 0x7E020000 // CLONE_NEWNS to CLONE_NEWNET
};

#ifdef AUDIT_ARCHITECTURE

// In every profile.
static const int refused_always[] = {
    // The network.
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    CALL_IO_URING_SETUP,
    // Other processes.
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    CALL_PROCESS_MADVISE,
    CALL_PIDFD_OPEN,
    CALL_PIDFD_GETFD,
    CALL_PIDFD_SEND_SIGNAL,
    SYS_kill,
    SYS_tkill,
    SYS_tgkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_setpriority,
    SYS_setpgid, // it ends with its group
    SYS_setsid,
    SYS_ioprio_set,
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_msgget,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_msgctl,
    SYS_semget,
    SYS_semop,
    SYS_semctl,
    SYS_semtimedop,
    SYS_mq_open,
    SYS_mq_unlink,
    // Mounts and namespaces.
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    CALL_OPEN_TREE,
    CALL_MOVE_MOUNT,
    CALL_FSOPEN,
    CALL_FSCONFIG,
    CALL_FSMOUNT,
    CALL_FSPICK,
    CALL_MOUNT_SETATTR,
    CALL_OPEN_TREE_ATTR,
    // Files by another way than their path, and watching them. Landlock sees that a
    // path is cut off from its third version on (Linux 6.2); compilers cut off what
    // they have opened.
    SYS_truncate,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_fanotify_init,
    // The kernel.
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_syslog,
    SYS_acct,
    SYS_quotactl,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
#    ifdef SYS_socketcall
    SYS_socketcall,
#    endif
#    ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#    endif
#    ifdef SYS_iopl
    SYS_iopl,
    SYS_ioperm,
#    endif
};

// What Landlock lets pass on any file that can be named.
static const int refused_changes[] = {
    SYS_fchmod,         SYS_fchmodat,      CALL_FCHMODAT2,   SYS_fchown,
    SYS_fchownat,       SYS_setxattr,      SYS_lsetxattr,    SYS_fsetxattr,
    SYS_removexattr,    SYS_lremovexattr,  SYS_fremovexattr, CALL_SETXATTRAT,
    CALL_REMOVEXATTRAT, CALL_FILE_SETATTR, SYS_utimensat,    SYS_mknodat,
#    ifdef SYS_chmod
    SYS_chmod,          SYS_chown,         SYS_lchown,
#    endif
#    ifdef SYS_utime
    SYS_utime,          SYS_utimes,        SYS_futimesat,
#    endif
#    ifdef SYS_mknod
    SYS_mknod,
#    endif
};

// What an engine by itself does not need.
static const int refused_alone[] = {
    SYS_clone, SYS_memfd_create, SYS_inotify_init1,
#    ifdef SYS_fork
    SYS_fork,  SYS_vfork,
#    endif
};

static void
confine_filter_add(struct mica_confine_filter *to, struct sock_filter step)
{
    if (to->count < MICA_CONFINE_STEPS)
        to->steps[to->count++] = step;
}

static void
confine_filter_load(struct mica_confine_filter *to, size_t offset)
{
    confine_filter_add(to, (struct sock_filter)BPF_STMT(
                               BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void
confine_filter_give(struct mica_confine_filter *to, unsigned action)
{
    confine_filter_add(to,
                       (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void
confine_filter_refuse(struct mica_confine_filter *to, int call, int reason)
{
    confine_filter_add(to,
                       (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                    (unsigned)call, 0, 1));
    confine_filter_give(to, SECCOMP_RET_ERRNO | (unsigned)reason);
}

static void
refuse_all(struct mica_confine_filter *to, const int *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        confine_filter_refuse(to, calls[i], EPERM);
}

// Threads, and children that are not in namespaces of their own. The flags lie in
// the first argument's lower half.
static void
refuse_namespaces(struct mica_confine_filter *to)
{
    confine_filter_add(to,
                       (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                    (unsigned)SYS_clone, 0, 4));
    confine_filter_load(to, offsetof(struct seccomp_data, args[0]));
    confine_filter_add(
        to, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K,
                                         (unsigned)NAMESPACES, 0, 1));
    confine_filter_give(to, SECCOMP_RET_ERRNO | EPERM);
    confine_filter_give(to, SECCOMP_RET_ALLOW);
}

// ---- Calls that are refused by their arguments ---------------------------------------

// These would act on another process unless this argument, a number of one, is 0.
static const struct {
    int call, argument;
} own_only[] = {{SYS_prlimit64, 0},
                {SYS_sched_setaffinity, 0},
                {SYS_sched_setscheduler, 0},
                {SYS_sched_setparam, 0},
                {SYS_sched_setattr, 0}};

// fcntl: the receiver of signals about a file, and which. ioctl: the same, attributes of a
// file that was opened to be read, and typing into a terminal.
static const unsigned fcntl_refused[] = {F_SETOWN, F_SETSIG, F_SETOWN_EX};
static const unsigned ioctl_refused[] = {
    0x8901,     0x8902,     // FIOSETOWN, SIOCSPGRP
    0x40086602, 0x401C5820, // FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR
    0x80086602,             // the first as some machines number it
    0x5412,     0x541C      // TIOCSTI, TIOCLINUX
};

// The lower half of an argument, for one call; others continue behind `steps` steps.
static void
begin_argument(struct mica_confine_filter *to, int call, int argument,
               size_t steps)
{
    confine_filter_add(to, (struct sock_filter)BPF_JUMP(
                               BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0,
                               (unsigned char)(steps + 1)));
    confine_filter_load(to, offsetof(struct seccomp_data, args) +
                                (size_t)argument * sizeof(uint64_t));
}

static void
refuse_others(struct mica_confine_filter *to, int call, int argument)
{
    begin_argument(to, call, argument, 3);
    confine_filter_add(
        to, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1));
    confine_filter_give(to, SECCOMP_RET_ALLOW);
    confine_filter_give(to, SECCOMP_RET_ERRNO | EPERM);
}

static void
refuse_values(struct mica_confine_filter *to, int call, const unsigned *values,
              size_t count)
{
    begin_argument(to, call, 1, 2 * count + 1);
    for (size_t i = 0; i < count; i++) {
        confine_filter_add(to, (struct sock_filter)BPF_JUMP(
                                   BPF_JMP | BPF_JEQ | BPF_K, values[i], 0, 1));
        confine_filter_give(to, SECCOMP_RET_ERRNO | EPERM);
    }
    confine_filter_give(to, SECCOMP_RET_ALLOW);
}

// Opening a file to be read that is cut off by that.
static void
refuse_cutting(struct mica_confine_filter *to, int call, int argument)
{
    begin_argument(to, call, argument, 4);
    confine_filter_add(to,
                       (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K,
                                                    (unsigned)O_TRUNC, 0, 2));
    confine_filter_add(to,
                       (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K,
                                                    (unsigned)O_ACCMODE, 1, 0));
    confine_filter_give(to, SECCOMP_RET_ERRNO | EPERM);
    confine_filter_give(to, SECCOMP_RET_ALLOW);
}

static void
refuse_by_arguments(struct mica_confine_filter *to)
{
    for (size_t i = 0; i < MICA_COUNT(own_only); i++)
        refuse_others(to, own_only[i].call, own_only[i].argument);
    refuse_values(to, SYS_fcntl, fcntl_refused, MICA_COUNT(fcntl_refused));
    refuse_values(to, SYS_ioctl, ioctl_refused, MICA_COUNT(ioctl_refused));
#    ifdef SYS_open
    refuse_cutting(to, SYS_open, 1);
#    endif
    refuse_cutting(to, SYS_openat, 2);
    // Its flags lie in memory; libraries go back to openat.
    confine_filter_refuse(to, CALL_OPENAT2, ENOSYS);
}

void
mica_confine_write(enum mica_confine_profile profile,
                   struct mica_confine_filter *to)
{
    to->count = 0;
    confine_filter_load(to, offsetof(struct seccomp_data, arch));
    confine_filter_add(to,
                       (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                    AUDIT_ARCHITECTURE, 1, 0));
    confine_filter_give(to, SECCOMP_RET_KILL_PROCESS);
    confine_filter_load(to, offsetof(struct seccomp_data, nr));
#    ifdef OTHER_NUMBERS
    confine_filter_add(to, (struct sock_filter)BPF_JUMP(
                               BPF_JMP | BPF_JGE | BPF_K, OTHER_NUMBERS, 0, 1));
    confine_filter_give(to, SECCOMP_RET_ERRNO | ENOSYS);
#    endif
    // Its flags lie in memory, where a filter does not look; libraries go back to
    // clone.
    confine_filter_refuse(to, CALL_CLONE3, ENOSYS);
    refuse_all(to, refused_always, MICA_COUNT(refused_always));
    if (profile != MICA_CONFINE_TOOL)
        refuse_all(to, refused_changes, MICA_COUNT(refused_changes));
    if (profile == MICA_CONFINE_RUN)
        refuse_all(to, refused_alone, MICA_COUNT(refused_alone));
    refuse_by_arguments(to);
    refuse_namespaces(to);
    confine_filter_give(to, SECCOMP_RET_ALLOW);
}

bool
mica_confine_calls_supported(void)
{
    unsigned action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

// It speculates as any compiler does: it holds no secret, and takes twice the
// time without on kernels before 5.16.
bool
mica_confine_calls(const struct mica_confine_filter *filter)
{
    // The kernel only reads them.
    union {
        const struct sock_filter *in;
        struct sock_filter *out;
    } steps = {.in = filter->steps};
    struct sock_fprog program = {filter->count, steps.out};
    if (!mica_confine_calls_supported())
        return true;
    if (filter->count == MICA_CONFINE_STEPS) {
        errno = E2BIG;
        return false;
    }
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                   SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
}

#else

bool
mica_confine_calls_supported(void)
{
    return false;
}

void
mica_confine_write(enum mica_confine_profile profile,
                   struct mica_confine_filter *to)
{
    (void)profile;
    to->count = 0;
}

bool
mica_confine_calls(const struct mica_confine_filter *filter)
{
    (void)filter;
    return true;
}

#endif
