#include "nodemanager/container/logs/log_choice.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <regex.h>
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

#define CHOICE_FILE_MAX   65536
#define PATTERN_MAX       1024 /* bytes */
#define PATTERN_DEPTH_MAX 20   /* groups within groups */

struct nm_log_choice {
    regex_t include, exclude;
    bool has_include, has_exclude;
};

/* ---- patterns ---- */

/* Returns true when regcomp() compiles the pattern with little memory. regcomp() copies a group
 * that "+" repeats, so that each level of repeated groups doubles its memory, and recurses once for
 * each level of groups. Brackets count as well within [], which only refuses more. */
static bool compiles_with_little_memory(const char *pattern)
{
    bool repeats[PATTERN_DEPTH_MAX + 1] = {false}; /* the open group of this depth has a "+" */
    size_t depth = 0;

    if (strlen(pattern) > PATTERN_MAX)
        return false;
    for (const char *p = pattern; *p; p++) {
        if (*p == '\\' && p[1]) {
            p++;
        } else if (*p == '(') {
            if (depth == PATTERN_DEPTH_MAX)
                return false;
            repeats[++depth] = false;
        } else if (*p == ')' && depth > 0) {
            bool inner = repeats[depth--];

            if (inner && p[1] == '+')
                return false;
            repeats[depth] = repeats[depth] || inner;
        } else if (*p == '+') {
            if (p > pattern && strchr("+*?", p[-1]) && (p < pattern + 2 || p[-2] != '\\'))
                return false; /* a repetition that is repeated costs as much as a repeated group */
            repeats[depth] = true;
        }
    }
    return true;
}

/* Translates a pattern from Java's syntax to that of POSIX. The caller frees the result; NULL when
 * POSIX has no equivalent. */
static char *translate_java_regex(const char *java)
{
    struct base_buf out = {0};
    bool ok = true;

    for (const char *p = java; *p && ok; p++) {
        bool escaped = *p == '\\' && p[1];

        ok = *p != '{' && !(*p == '(' && p[1] == '?') &&
             !(escaped && strchr("123456789kQEpPbB", p[1]));
        if (escaped && p[1] == 'd')
            base_buf_adds(&out, "[0-9]");
        else if (escaped && p[1] == 'D')
            base_buf_adds(&out, "[^0-9]");
        else
            base_buf_add(&out, p, escaped ? 2 : 1);
        p += escaped;
    }
    if (ok)
        return base_buf_take(&out);
    base_buf_free(&out);
    return NULL;
}

static bool compile(const char *pattern, const char *what, regex_t *out)
{
    char *posix;
    bool ok;

    if (!pattern || !*pattern)
        return false;
    posix = compiles_with_little_memory(pattern) ? translate_java_regex(pattern) : NULL;
    ok = posix && regcomp(out, posix, REG_EXTENDED | REG_NOSUB) == 0;
    if (!ok)
        base_log_warn("files", "%s \"%.200s\" is not understood and has no effect", what, pattern);
    free(posix);
    return ok;
}

struct nm_log_choice *nm_log_choice_new(const char *include, const char *exclude)
{
    struct nm_log_choice *c;

    if ((!include || !*include) && (!exclude || !*exclude))
        return NULL;
    c = base_alloc(sizeof *c);
    c->has_include = compile(include, "log-include-pattern", &c->include);
    c->has_exclude = compile(exclude, "log-exclude-pattern", &c->exclude);
    return c;
}

void nm_log_choice_free(struct nm_log_choice *c)
{
    if (!c)
        return;
    if (c->has_include)
        regfree(&c->include);
    if (c->has_exclude)
        regfree(&c->exclude);
    free(c);
}

bool nm_log_choice_keeps(const struct nm_log_choice *c, const char *name)
{
    if (c->has_include && regexec(&c->include, name, 0, NULL, 0) != 0)
        return false;
    return !c->has_exclude || regexec(&c->exclude, name, 0, NULL, 0) != 0;
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

/* Reads the file with the patterns. Returns NULL when the file does not exist or is not valid. */
static struct nm_log_choice *read_choice(int logs)
{
    struct base_buf text = {0};
    struct nm_log_choice *c = NULL;
    json_t *j = NULL;
    int fd = base_plain_open(logs, NM_LOG_CHOICE_FILE, O_RDONLY, 0, NULL);

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
    struct nm_log_choice *c = fd < 0 ? NULL : read_choice(fd);
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
