#include "nodemanager/container/exit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool mentions_no_space(const char *text)
{
    return text && strstr(text, NM_NO_SPACE_TEXT);
}

/* Appends the shim's report of the exit, and the last lines of the command's stderr. */
static void append_exit_summary(const struct nm_exit_file *x, const char *tail,
                                struct base_buf *text)
{
    if (x->signal)
        base_buf_addf(text, "Killed by signal %d (%s)", (int)x->signal, strsignal((int)x->signal));
    else
        base_buf_addf(text, "Exit code %d", (int)x->exit_code);
    if (x->reason[0])
        base_buf_addf(text, ": %s", x->reason);
    if (tail)
        base_buf_addf(text, "\n%s", tail);
}

bool nm_is_disk_failure(int rc)
{
    return rc == -ENOSPC || rc == -EDQUOT || rc == -EROFS || rc == -EIO;
}

static void set_lost_output_ending(struct nm_ending *out, struct base_buf *text)
{
    out->end.exit_code = NM_EXIT_OUTPUT_LOST;
    base_buf_adds(text, "Its output could not be written completely: " NM_NO_SPACE_TEXT);
}

/* Sets the diagnostics and, where necessary, the exit code. A task's own report is passed on, after
 * a note if the disk is full; without such a report the diagnostics are composed from exit.json and
 * the end of stderr. */
static void set_diagnostics(const struct nm_files *f, const struct base_container_id *id, bool task,
                            const struct nm_exit_file *x, struct nm_ending *out)
{
    struct base_buf text = {0}, tail = {0};
    struct nm_failure_file own = {0};
    if (task)
        nm_files_read_failure(f, id, &own);
    if (!own.diagnostics)
        nm_files_append_stderr_tail(f, id, &tail);
    const char *story = own.diagnostics ? own.diagnostics : tail.data;
    bool said =
        own.no_space || strcmp(x->reason, NM_NO_SPACE_TEXT) == 0 || mentions_no_space(story);
    out->no_space = said && nm_is_disk_failure(nm_files_probe_disk_write(f, NM_DISK_PROBE_BYTES));
    if (out->no_space) {
        out->end.exit_code = NM_EXIT_DISK;
        base_buf_addf(&text, NM_NO_SPACE_TEXT "%s%s", story ? "\n" : "", story ? story : "");
    } else if (x->exit_code == 0) {
        set_lost_output_ending(out, &text);
    } else if (own.diagnostics) {
        base_buf_adds(&text, own.diagnostics);
    } else {
        append_exit_summary(x, tail.data, &text);
    }
    out->diagnostics = base_buf_take(&text);
    nm_utf8_replace_invalid(out->diagnostics, strlen(out->diagnostics));
    free(own.diagnostics);
    base_buf_free(&tail);
}

static void append_byte_count_text(struct base_buf *text, int64_t bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    double n = (double)bytes;
    size_t i = 0;

    for (; n >= 1024 && i < 4; i++)
        n /= 1024;
    base_buf_addf(text, n == (double)(int64_t)n ? "%.0f %s" : "%.1f %s", n, units[i]);
}

/* SOURCE: YARN's ContainersMonitorImpl, for whose wording tools search. By now the processes are
 * gone, so the "current usage" is the most memory that the container has used. */
static void set_memory_ending(const struct base_container_id *id, const struct nm_exit_file *x,
                              struct nm_ending *out)
{
    char name[BASE_ID_TEXT_MAX];
    struct base_buf text = {0};

    base_buf_addf(&text,
                  "Container [pid=%lld,containerID=%s] is running beyond the 'PHYSICAL' memory "
                  "limit. Current usage: ",
                  (long long)x->pid, base_container_id_text(id, name));
    append_byte_count_text(&text, x->max_rss_kb * 1024);
    base_buf_adds(&text, " of ");
    append_byte_count_text(&text, x->limit_bytes);
    base_buf_addf(&text,
                  " physical memory used. Killing container.\nContainer killed on request. Exit "
                  "code is %lld\n",
                  (long long)x->exit_code);
    out->diagnostics = base_buf_take(&text);
    out->end.exit_code = NM_EXIT_MEMORY;
}

static void set_disk_ending(const struct nm_exit_file *x, struct nm_ending *out)
{
    struct base_buf text = {0};

    base_buf_addf(&text,
                  "Container's folders are beyond the %lld MB of disk that creel.container.disk-mb "
                  "allows. Killing container.\nContainer killed on request. Exit code is %lld\n",
                  (long long)(x->limit_bytes >> 20), (long long)x->exit_code);
    out->diagnostics = base_buf_take(&text);
}

bool nm_ending_read(const struct nm_files *f, const struct base_container_id *id,
                    enum base_container_kind kind, struct nm_ending *out)
{
    struct nm_exit_file x;
    struct nm_result_file r = {0};
    bool task = base_container_runs_creel_task(kind);
    memset(out, 0, sizeof *out);
    if (nm_files_read_exit(f, id, &x) < 0)
        return false;
    out->end = (struct nm_end){.exit_code = (int)x.exit_code,
                               .signal = (int)x.signal,
                               .started_ms = x.started_us / 1000,
                               .ended_ms = x.ended_us / 1000,
                               .cpu_ms = x.cpu_ms,
                               .max_rss_kb = x.max_rss_kb};
    if (task)
        nm_files_read_result(f, id, &r);
    out->counters = r.counters;
    out->end.output_bytes = r.output_bytes;
    /* The result of a command is its stdout, so the loss of a part to a full disk is a failure even
     * after exit code 0. The result of a map or reduce is stored elsewhere. */
    if (x.exit_code != 0 && strcmp(x.limit, "memory") == 0)
        set_memory_ending(id, &x, out);
    else if (x.exit_code != 0 && strcmp(x.limit, "disk") == 0)
        set_disk_ending(&x, out);
    else if (x.exit_code != 0 || (!task && strcmp(x.reason, NM_NO_SPACE_TEXT) == 0))
        set_diagnostics(f, id, task, &x, out);
    out->end.diagnostics = out->diagnostics;
    out->end.counters = out->counters;
    return true;
}

void nm_ending_set(struct nm_ending *out, int exit_code, int64_t ended_ms, const char *text)
{
    memset(out, 0, sizeof *out);
    out->diagnostics = base_strdup(text);
    nm_utf8_replace_invalid(out->diagnostics, strlen(out->diagnostics));
    out->end = (struct nm_end){.exit_code = exit_code,
                               .signal = exit_code > 128 && exit_code < 193 ? exit_code - 128 : 0,
                               .ended_ms = ended_ms,
                               .diagnostics = out->diagnostics};
    out->no_space = exit_code == NM_EXIT_DISK;
}

void nm_ending_free(struct nm_ending *e)
{
    free(e->diagnostics);
    free(e->counters);
    memset(e, 0, sizeof *e);
}
