#include "nodemanager/daemon/java.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/io.h"

#define OPENS_SINCE  17
#define OPENS        "--add-opens=java.base/java.lang=ALL-UNNAMED"
#define VERSION_LINE "JAVA_VERSION=\""
#define RELEASE_MAX  65536 /* bytes of a file "release"; a longer one tells nothing */

/* Reads "17.0.13" or, as Java before 9 is named, "1.8.0_392". */
static int parse_version(const char *text)
{
    int major = 0, minor = 0;
    int n = sscanf(text, "%9d.%9d", &major, &minor);

    return n == 2 && major == 1 ? minor : n >= 1 && major > 0 ? major : 0;
}

int nm_java_read_version(const char *home)
{
    char *path = base_printf("%s/release", home);
    struct base_buf text = {0};
    const char *line = NULL;
    int version;

    if (base_file_read(path, RELEASE_MAX, &text, NULL) == 0 && text.data)
        line = strstr(text.data, VERSION_LINE);
    version = line ? parse_version(line + strlen(VERSION_LINE)) : 0;
    base_buf_free(&text);
    free(path);
    return version;
}

/* Returns the version of the Java whose program is @program, after its links; 0: unknown. The
 * folder is two levels above or, where a JDK holds a runtime (jre), three. */
static int read_version_of_program(const char *program)
{
    char *real = realpath(program, NULL), *slash;
    int version = 0;

    for (int level = 0; real && version == 0 && level < 3; level++) {
        slash = strrchr(real, '/');
        if (!slash || slash == real)
            break;
        *slash = '\0';
        version = level > 0 ? nm_java_read_version(real) : 0;
    }
    free(real);
    return version;
}

static int find_version_in_path(const char *path)
{
    while (path && *path) {
        size_t n = strcspn(path, ":");
        char program[PATH_MAX];

        if (snprintf(program, sizeof program, "%.*s/java", (int)n, path) < PATH_MAX && n > 0 &&
            access(program, X_OK) == 0)
            return read_version_of_program(program);
        path += n + (path[n] == ':');
    }
    return 0;
}

const char *nm_java_find_options(const char *home, const char *path)
{
    int version = home && *home ? nm_java_read_version(home) : find_version_in_path(path);

    return version > 0 && version < OPENS_SINCE ? "" : OPENS;
}
