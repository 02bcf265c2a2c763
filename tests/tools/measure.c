/* measure: runs a command and prints what it took: wall seconds, processor seconds, peak memory in
 * kilobytes, exit status.
 *
 *     measure COMMAND [ARGUMENT]...
 *
 * The system counts a child's peak from that of the process that started it, so the starting
 * process must be as small as this one. What the command prints is thrown away.
 */
#include "src/base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

int main(int count, char **arguments)
{
    if (count < 2)
        return 2;
    double start = clock_seconds();
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDOUT_FILENO);
        execvp(arguments[1], arguments + 1);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        return 4;
    printf("%.6f %.6f %ld %d\n", clock_seconds() - start,
           seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss,
           WIFEXITED(status) ? WEXITSTATUS(status) : 255);
    return 0;
}
