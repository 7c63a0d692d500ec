#include "nodemanager/container/logs/log_choice.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "base/io/log.h"
#include "base/io/plain.h"
#include "base/mem.h"
#include "base/text/java_regex.h"

#define CHOICE_FILE_MAX 65536

struct nm_log_choice {
    struct base_java_regex *include, *exclude; /* NULL: none */
};

/* ---- patterns ---- */

static struct base_java_regex *compile(const char *pattern, const char *what)
{
    struct base_java_regex *regex;

    if (!pattern || !*pattern)
        return NULL;
    regex = base_java_regex_compile(pattern, BASE_REGEX_FIND);
    if (!regex)
        base_log_warn("files", "%s \"%.200s\" is not understood and has no effect", what, pattern);
    return regex;
}

struct nm_log_choice *nm_log_choice_new(const char *include, const char *exclude)
{
    struct nm_log_choice *c;

    if ((!include || !*include) && (!exclude || !*exclude))
        return NULL;
    c = base_alloc(sizeof *c);
    c->include = compile(include, "log-include-pattern");
    c->exclude = compile(exclude, "log-exclude-pattern");
    return c;
}

void nm_log_choice_free(struct nm_log_choice *c)
{
    if (!c)
        return;
    base_java_regex_free(c->include);
    base_java_regex_free(c->exclude);
    free(c);
}

bool nm_log_choice_keeps(const struct nm_log_choice *c, const char *name)
{
    if (c->include && !base_java_regex_matches(c->include, name))
        return false;
    return !c->exclude || !base_java_regex_matches(c->exclude, name);
}

/* ---- files ---- */

int nm_log_choice_save(const char *folder, const char *include, const char *exclude,
                       struct base_error *err)
{
    struct base_buf text = {0};
    char *path;
    json_t *j;
    int rc;

    if ((!include || !*include) && (!exclude || !*exclude))
        return 0;
    j = json_pack("{s:s,s:s}", "include", include ? include : "", "exclude",
                  exclude ? exclude : "");
    if (!j)
        return base_error_set(err, -BASE_EINVAL, "log-aggregation-context: not UTF-8");
    base_json_dump(j, &text);
    json_decref(j);
    path = base_printf("%s/" NM_LOG_CHOICE_FILE, folder);
    rc = base_file_write_atomic(path, text.data, text.len, 0600, false, err);
    free(path);
    base_buf_free(&text);
    return rc;
}

static void remove_unchosen_in_container(int logs, const char *container,
                                         const struct nm_log_choice *c)
{
    int fd = openat(logs, container, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *e;
    struct stat st;

    while (d && (e = readdir(d)) != NULL)
        if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(st.st_mode) &&
            !nm_log_choice_keeps(c, e->d_name))
            unlinkat(fd, e->d_name, 0);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
}

struct nm_log_choice *nm_log_choice_read(int folder)
{
    struct base_buf text = {0};
    struct nm_log_choice *c = NULL;
    json_t *j = NULL;
    int fd = base_plain_open(folder, NM_LOG_CHOICE_FILE, O_RDONLY, 0, NULL);

    if (fd < 0)
        return NULL;
    if (base_fd_read_to_end(fd, NM_LOG_CHOICE_FILE, CHOICE_FILE_MAX, &text, NULL) >= 0 &&
        text.data && base_json_parse(text.data, text.len, &j, NULL) == 0)
        c = nm_log_choice_new(json_string_value(json_object_get(j, "include")),
                              json_string_value(json_object_get(j, "exclude")));
    json_decref(j);
    base_buf_free(&text);
    close(fd);
    return c;
}

void nm_log_choice_remove_unchosen(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct nm_log_choice *c = fd < 0 ? NULL : nm_log_choice_read(fd);
    DIR *d = c ? fdopendir(dup(fd)) : NULL;
    struct base_container_id id;
    const struct dirent *e;

    while (d && (e = readdir(d)) != NULL)
        if (base_container_id_parse(e->d_name, &id, NULL) == 0)
            remove_unchosen_in_container(fd, e->d_name, c);
    if (d)
        closedir(d);
    if (c)
        unlinkat(fd, NM_LOG_CHOICE_FILE, 0);
    nm_log_choice_free(c);
    if (fd >= 0)
        close(fd);
}
