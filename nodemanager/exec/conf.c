/* The configuration: lines "key = value", comments with #. */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodemanager/exec/exec.h"

#define CONF_BYTES_MAX 65536

bool exec_list_has(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (; *list; list += strcspn(list, ",") + (list[strcspn(list, ",")] == ','))
        if (strcspn(list, ",") == n && memcmp(list, name, n) == 0)
            return true;
    return false;
}

static bool parse_bool_or_refuse(const char *key, const char *value)
{
    if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
        exec_refuse("%s: %s '%.40s': true or false was expected", EXEC_CONF, key, value);
    return *value == 't';
}

/* Copies @value without its blanks, which may surround the names of a list. */
static void copy_value_without_blanks(const char *key, const char *value, char *out, size_t size)
{
    size_t n = 0;

    for (; *value; value++)
        if (*value != ' ' && *value != '\t') {
            if (n + 1 >= size)
                exec_refuse("%s: %s: too long", EXEC_CONF, key);
            out[n++] = *value;
        }
    out[n] = '\0';
}

static void set_key(struct exec_conf *c, const char *key, const char *value)
{
    const struct {
        const char *key;
        char *text;
        size_t size;
        bool *flag;
    } keys[] = {{"nodemanager-user", c->nm_user, sizeof c->nm_user, NULL},
                {"local-dir", c->local_dir, sizeof c->local_dir, NULL},
                {"banned-users", c->banned, sizeof c->banned, NULL},
                {"allowed-system-users", c->allowed, sizeof c->allowed, NULL},
                {"no-new-privileges", NULL, 0, &c->no_new_privileges},
                {"seccomp", NULL, 0, &c->seccomp},
                {"private-tmp", NULL, 0, &c->private_tmp}};
    char *end;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(key, keys[i].key) != 0)
            continue;
        if (keys[i].flag)
            *keys[i].flag = parse_bool_or_refuse(key, value);
        else
            copy_value_without_blanks(key, value, keys[i].text, keys[i].size);
        return;
    }
    if (strcmp(key, "min-user-id") != 0)
        exec_refuse("%s: unknown key '%.60s'", EXEC_CONF, key);
    c->min_user_id = strtoll(value, &end, 10);
    if (c->min_user_id < 1 || end == value || *end)
        exec_refuse("%s: min-user-id '%.40s': a number above 0 was expected", EXEC_CONF, value);
}

static char *trim(char *text)
{
    char *end;

    text += strspn(text, " \t");
    for (end = text + strlen(text); end > text && strchr(" \t\r", end[-1]); end--)
        end[-1] = '\0';
    return text;
}

static void parse_line(struct exec_conf *c, char *line)
{
    char *value;

    line[strcspn(line, "#")] = '\0';
    line = trim(line);
    if (!*line)
        return;
    value = strchr(line, '=');
    if (!value)
        exec_refuse("%s: '%.60s': 'key = value' was expected", EXEC_CONF, line);
    *value++ = '\0';
    set_key(c, trim(line), trim(value));
}

static bool is_same_or_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]);
}

static void check_conf_and_look_up_nm_user(struct exec_conf *c)
{
    const struct passwd *p = *c->nm_user ? getpwnam(c->nm_user) : NULL;

    if (!p || p->pw_uid == 0)
        exec_refuse("%s: nodemanager-user '%s': a user of this host other than root was expected",
                    EXEC_CONF, c->nm_user);
    c->nm_uid = p->pw_uid;
    c->nm_gid = p->pw_gid;
    if (c->local_dir[0] != '/' || !c->local_dir[1])
        exec_refuse("%s: local-dir '%s': an absolute path was expected", EXEC_CONF, c->local_dir);
    if (c->private_tmp &&
        (is_same_or_below(c->local_dir, "/tmp") || is_same_or_below(c->local_dir, "/var/tmp")))
        exec_refuse("%s: private-tmp would hide local-dir '%s'", EXEC_CONF, c->local_dir);
    if (c->seccomp && !c->no_new_privileges)
        exec_refuse("%s: seccomp needs no-new-privileges", EXEC_CONF);
}

void exec_conf_read(struct exec_conf *c)
{
    static char text[CONF_BYTES_MAX];
    size_t len = 0;
    ssize_t n;
    int fd = exec_open_path_safe_from_others(EXEC_CONF, 0, true);

    *c = (struct exec_conf){.min_user_id = 1000,
                            .no_new_privileges = true,
                            .private_tmp = true,
                            .banned = "root,daemon,bin,sys,mail,nobody"};
    while (len < sizeof text - 1 && (n = read(fd, text + len, sizeof text - 1 - len)) > 0)
        len += (size_t)n;
    close(fd);
    if (n < 0 || memchr(text, '\0', len))
        exec_refuse("%s: cannot be read as text", EXEC_CONF);
    if (len == sizeof text - 1)
        exec_refuse("%s: larger than %d bytes", EXEC_CONF, CONF_BYTES_MAX - 2);
    for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        parse_line(c, line);
    check_conf_and_look_up_nm_user(c);
}
