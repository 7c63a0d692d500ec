/* api/cli/dev/state.c - the folder of `creel dev`, and dev.json, which records its daemons. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "api/cli/dev/dev.h"
#include "api/cli/job/job.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "base/io/private_file.h"

enum { STATE_MAX = 1 << 20, TAIL_BYTES = 4096, TAIL_LINES = 10 };

char *cli_dev_dir(const char *arg, bool ha)
{
    if (arg && *arg == '/')
        return base_strdup(arg);
    if (arg) {
        char *cwd = getcwd(NULL, 0);
        char *dir = base_printf("%s/%s", cwd ? cwd : "", arg);
        free(cwd);
        return dir;
    }
    return base_user_state_path(ha ? "dev-ha" : "dev");
}

char *cli_dev_path(const struct cli_dev *d, const char *name, const char *suffix)
{
    return base_printf("%s/%s%s", d->dir, name, suffix);
}

int cli_dev_lock(const struct cli_dev *d, struct base_error *err)
{
    char *path = cli_dev_path(d, "dev", ".lock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int rc =
        fd < 0 || flock(fd, LOCK_EX) != 0 ? base_error_sys(err, -BASE_EIO, errno, "%s", path) : fd;
    if (rc < 0 && fd >= 0)
        close(fd);
    free(path);
    return rc;
}

static json_t *proc_to_json(const struct cli_proc *p)
{
    return json_pack("{s:i,s:I,s:s}", "pid", (int)p->pid, "start", (json_int_t)p->start, "boot",
                     p->boot);
}

static void proc_from_json(const json_t *j, struct cli_proc *p)
{
    p->pid = (pid_t)cli_int(j, "pid");
    p->start = cli_int(j, "start");
    snprintf(p->boot, sizeof p->boot, "%s", cli_str(j, "boot"));
}

int cli_dev_save(const struct cli_dev *d, struct base_error *err)
{
    json_t *list = json_array();
    struct base_buf text = {0};
    for (size_t i = 0; i < d->n; i++) {
        const struct cli_dev_daemon *x = &d->v[i];
        json_array_append_new(list, json_pack("{s:s,s:o,s:s,s:I,s:b}", "name", x->name, "process",
                                              proc_to_json(&x->proc), "url", x->url, "port",
                                              (json_int_t)x->port, "stopping", x->stopping));
    }
    json_t *j = json_pack("{s:o,s:o,s:I,s:I,s:s}", "supervisor", proc_to_json(&d->supervisor),
                          "daemons", list, "map-slots", (json_int_t)d->map_slots, "reduce-slots",
                          (json_int_t)d->reduce_slots, "policy", d->policy);
    base_json_dump(j, &text);
    char *path = cli_dev_path(d, "dev", ".json");
    int rc = base_file_write_atomic(path, text.data, text.len, 0600, false, err);
    free(path);
    json_decref(j);
    base_buf_free(&text);
    return rc;
}

int cli_dev_load(struct cli_dev *d, struct base_error *err)
{
    struct base_buf text = {0};
    json_t *j = NULL;
    char *path = cli_dev_path(d, "dev", ".json");
    int rc;
    if (access(path, F_OK) != 0) {
        rc = base_error_set(err, -BASE_ENOTFOUND, "no cluster was started in %s", d->dir);
    } else {
        rc = base_file_read(path, STATE_MAX, &text, err);
        if (rc >= 0)
            rc = base_json_parse(text.data ? text.data : "", text.len, &j, err);
        if (rc < 0)
            base_error_wrap(err, rc, "%s", path);
    }
    free(path);
    base_buf_free(&text);
    if (rc < 0)
        return rc;
    const json_t *list = json_object_get(j, "daemons");
    proc_from_json(json_object_get(j, "supervisor"), &d->supervisor);
    d->map_slots = cli_int(j, "map-slots");
    d->reduce_slots = cli_int(j, "reduce-slots");
    snprintf(d->policy, sizeof d->policy, "%s", cli_str(j, "policy"));
    d->n = 0;
    for (size_t i = 0; i < json_array_size(list) && d->n < CLI_DEV_DAEMONS_MAX; i++) {
        const json_t *one = json_array_get(list, i);
        struct cli_dev_daemon *x = &d->v[d->n++];
        *x = (struct cli_dev_daemon){.port = cli_int(one, "port"),
                                     .stopping = json_is_true(json_object_get(one, "stopping"))};
        snprintf(x->name, sizeof x->name, "%s", cli_str(one, "name"));
        snprintf(x->url, sizeof x->url, "%s", cli_str(one, "url"));
        proc_from_json(json_object_get(one, "process"), &x->proc);
    }
    json_decref(j);
    return 0;
}

struct cli_dev_daemon *cli_dev_find_daemon(struct cli_dev *d, const char *name)
{
    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->v[i].name, name) == 0)
            return &d->v[i];
    return NULL;
}

size_t cli_dev_count_daemons(const struct cli_dev *d, bool (*is)(const struct cli_dev_daemon *x))
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        n += is(&d->v[i]);
    return n;
}

bool cli_dev_is_any_process_alive(const struct cli_dev *d)
{
    bool any = cli_proc_is_alive(&d->supervisor);
    for (size_t i = 0; i < d->n; i++)
        any = any || cli_proc_is_alive(&d->v[i].proc);
    return any;
}

void cli_dev_print_log_tail(const struct cli_dev *d, const char *name, FILE *out)
{
    char *path = cli_dev_path(d, name, ".log");
    char text[TAIL_BYTES + 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    off_t from = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
    ssize_t n = fd >= 0 ? pread(fd, text, TAIL_BYTES, from) : 0;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *at = text + strlen(text);
    for (int lines = 0; at > text; at--)
        if (at[-1] == '\n' && at[0] != '\0' && ++lines == TAIL_LINES)
            break;
    if (from > 0 && at == text && strchr(at, '\n'))
        at = strchr(at, '\n') + 1; /* skip a partial line */
    fprintf(out, "the end of %s:\n", path);
    cli_print_indented(out, "  ", at);
    free(path);
}
