/* inject: runs a command in which one call to the system fails.
 *
 *     inject FOLDER FAULT AT COMMAND...
 *
 * Counted are the calls that make, write, sync, cut, link or rename files below FOLDER, or sync
 * FOLDER; with the fault READ, reads there; with STAT, questions about files there. The AT-th
 * fails: with EIO (READ and STAT too), ENOSPC or EINTR, or, SHORT, writes only half of its bytes.
 * With AT 0 none does. The last line on standard error is how many were counted; the exit status is
 * that of the command, 77 where the kernel does not allow it.
 *
 * The kernel asks this program about each such call (seccomp, SECCOMP_RET_USER_NOTIF), whoever made
 * it: stdio, zlib and SQLite alike.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77, PATH_ROOM = 4096, BLOCK = 1 << 16 };

/* What a call names its file by: the place of its argument. */
enum subject { BY_FILE, BY_PATH, BY_FLAGS, BY_BOTH };

enum kind { CHANGES, READS, ASKS };

static const struct watched {
    int number;
    enum subject subject;
    enum kind kind;
    bool writes_bytes;
    int place;
} watched[] = {
    {SYS_write, BY_FILE, CHANGES, true, 0},      {SYS_pwrite64, BY_FILE, CHANGES, true, 0},
    {SYS_writev, BY_FILE, CHANGES, false, 0},    {SYS_fsync, BY_FILE, CHANGES, false, 0},
    {SYS_fdatasync, BY_FILE, CHANGES, false, 0}, {SYS_ftruncate, BY_FILE, CHANGES, false, 0},
    {SYS_renameat, BY_PATH, CHANGES, false, 3},  {SYS_renameat2, BY_PATH, CHANGES, false, 3},
    {SYS_linkat, BY_PATH, CHANGES, false, 3},    {SYS_openat, BY_FLAGS, CHANGES, false, 1},
#ifdef SYS_rename
    {SYS_rename, BY_PATH, CHANGES, false, 1},    {SYS_link, BY_PATH, CHANGES, false, 1},
#endif
    {SYS_read, BY_FILE, READS, false, 0},        {SYS_pread64, BY_FILE, READS, false, 0},
    {SYS_fstat, BY_FILE, ASKS, false, 0},        {SYS_newfstatat, BY_BOTH, ASKS, false, 0},
};
enum { WATCHED = sizeof watched / sizeof *watched };

static struct {
    const char *folder;
    enum kind kind;
    bool is_short;
    int error;
    long at, count;
} fault;

static void die(const char *what)
{
    perror(what);
    exit(SKIPPED);
}

/* ------------------------------------------------------------------ the command */

static void send_file(int socket, int file)
{
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    char byte = 0;
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &file, sizeof file);
    if (sendmsg(socket, &message, 0) != 1)
        die("sendmsg");
}

static int receive_file(int socket)
{
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    char byte;
    int file;
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    if (recvmsg(socket, &message, 0) != 1 || !CMSG_FIRSTHDR(&message))
        exit(SKIPPED); /* the command could not be watched, and said why */
    memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
    return file;
}

static void run_command(int socket, char **command)
{
    struct sock_filter code[2 * WATCHED + 2];
    unsigned count = 0;
    code[count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < WATCHED; i++)
        if (watched[i].kind == fault.kind) {
            code[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                         (uint32_t)watched[i].number, 0, 1);
            code[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
        }
    code[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {(unsigned short)count, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        die("prctl");
    long listener =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0)
        die("seccomp");
    send_file(socket, (int)listener);
    close((int)listener);
    close(socket);
    execvp(command[0], command);
    _exit(127);
}

/* ------------------------------------------------------------------ its calls */

static bool is_below(const char *path)
{
    size_t length = strlen(fault.folder);
    return strncmp(path, fault.folder, length) == 0 && (path[length] == '/' || !path[length]);
}

static bool is_file_below(pid_t process, int file)
{
    char name[64], path[PATH_ROOM] = "";
    snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)process, file);
    return readlink(name, path, sizeof path - 1) > 0 && is_below(path);
}

/* A path may go on in the next page, which need not be there. */
static bool is_path_below(pid_t process, uint64_t address)
{
    char path[2 * PATH_ROOM] = "";
    size_t first = PATH_ROOM - address % PATH_ROOM;
    struct iovec here = {path, sizeof path - 1};
    struct iovec there[] = {{(void *)(uintptr_t)address, first},
                            {(void *)(uintptr_t)(address + first), PATH_ROOM - 1}};
    if (process_vm_readv(process, &here, 1, there, 2, 0) <= 0)
        die("process_vm_readv");
    return is_below(path);
}

static bool is_counted(const struct seccomp_notif *call, const struct watched *watch)
{
    const __u64 *arguments = call->data.args;
    pid_t process = (pid_t)call->pid;
    if (watch->subject == BY_FILE)
        return is_file_below(process, (int)arguments[watch->place]);
    if (watch->subject == BY_FLAGS && !(arguments[2] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))))
        return false;
    if (watch->subject == BY_BOTH)
        return is_path_below(process, arguments[watch->place + 1]) ||
               is_file_below(process, (int)arguments[watch->place]);
    return is_path_below(process, arguments[watch->place]);
}

/* Half of what the call is to write, into its file: its length, or -1 when there is too little. */
static int64_t write_half(const struct seccomp_notif *call)
{
    static char bytes[BLOCK];
    const __u64 *arguments = call->data.args;
    size_t half = arguments[2] / 2 < BLOCK ? (size_t)arguments[2] / 2 : BLOCK;
    struct iovec here = {bytes, half}, there = {(void *)(uintptr_t)arguments[1], half};
    int process = (int)syscall(SYS_pidfd_open, call->pid, 0);
    int file = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, (int)arguments[0], 0);
    if (file < 0 || process_vm_readv((pid_t)call->pid, &here, 1, &there, 1, 0) != (ssize_t)half)
        die("half of a write");
    int64_t written = call->data.nr == SYS_write ? write(file, bytes, half)
                                                 : pwrite(file, bytes, half, (off_t)arguments[3]);
    close(file);
    close(process);
    return written > 0 ? written : -1;
}

static void answer(const struct seccomp_notif *call, struct seccomp_notif_resp *reply)
{
    const struct watched *watch = watched;
    while (watch->number != call->data.nr || watch->kind != fault.kind)
        watch++;
    reply->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    if ((fault.is_short && !watch->writes_bytes) || !is_counted(call, watch))
        return;
    if (++fault.count != fault.at)
        return;
    int64_t half = fault.is_short ? write_half(call) : -1;
    if (fault.is_short && half < 0)
        return;
    reply->flags = 0;
    reply->val = fault.is_short ? half : 0;
    reply->error = fault.is_short ? 0 : -fault.error;
}

/* Until nobody is left whose calls could be asked about. */
static void watch_calls(int listener)
{
    struct seccomp_notif call;
    struct seccomp_notif_resp reply;
    struct pollfd waiting = {.fd = listener, .events = POLLIN};
    while (poll(&waiting, 1, -1) > 0 && !(waiting.revents & POLLHUP)) {
        memset(&call, 0, sizeof call);
        memset(&reply, 0, sizeof reply);
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
            continue; /* its process is gone */
        reply.id = call.id;
        answer(&call, &reply);
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
    }
}

static void read_fault(const char *word)
{
    fault.kind = strcmp(word, "READ") == 0 ? READS : strcmp(word, "STAT") == 0 ? ASKS : CHANGES;
    fault.is_short = strcmp(word, "SHORT") == 0;
    fault.error = strcmp(word, "ENOSPC") == 0 ? ENOSPC : strcmp(word, "EINTR") == 0 ? EINTR : EIO;
}

int main(int count, char **words)
{
    int sockets[2], status;
    if (count < 5)
        return 2;
    fault.folder = words[1];
    read_fault(words[2]);
    fault.at = atol(words[3]);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        die("socketpair");
    pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        close(sockets[0]);
        run_command(sockets[1], words + 4);
    }
    close(sockets[1]);
    watch_calls(receive_file(sockets[0]));
    if (waitpid(child, &status, 0) != child)
        die("waitpid");
    fprintf(stderr, "%ld\n", fault.count);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
