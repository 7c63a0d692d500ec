/* How creel-exec says why it refuses. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "nodemanager/exec/exec.h"

_Noreturn void exec_refuse(const char *fmt, ...)
{
    char text[512];
    va_list ap;
    int n, flags = fcntl(EXEC_REASON_FD, F_GETFL), fd;

    va_start(ap, fmt);
    n = vsnprintf(text, sizeof text - 1, fmt, ap);
    va_end(ap);
    n = n < 0 ? 0 : n < (int)sizeof text - 1 ? n : (int)sizeof text - 2;
    text[n++] = '\n';
    fd = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY ? EXEC_REASON_FD : 2;
    if (write(fd, text, (size_t)n) < 0)
        _exit(EXEC_REFUSED); /* nobody listens */
    _exit(EXEC_REFUSED);
}
