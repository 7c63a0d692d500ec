/* nodemanager/nm_exit.c - see the header. */
#include "nodemanager/nm_exit.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_mem.h"

/* Failed because a disk was full: the shim could not write a log, or the command says so at the end of its stderr. */
static bool failed_for_space(const struct nm_exit_file *x, const struct base_buf *tail)
{
    return strcmp(x->reason, NM_NO_SPACE_TEXT) == 0 || (tail->data && strstr(tail->data, NM_NO_SPACE_TEXT));
}

static void diagnose(const struct nm_files *f, const struct base_container_id *id, const struct nm_exit_file *x,
                     struct nm_ending *out)
{
    struct base_buf text = {0}, tail = {0};
    nm_files_stderr_tail(f, id, &tail);
    if (failed_for_space(x, &tail)) {
        out->no_space = true;
        out->end.exit_code = NM_EXIT_DISK;
        base_buf_adds(&text, NM_NO_SPACE_TEXT);
    } else {
        if (x->signal)
            base_buf_addf(&text, "Killed by signal %d (%s)", (int)x->signal, strsignal((int)x->signal));
        else
            base_buf_addf(&text, "Exit code %d", (int)x->exit_code);
        if (x->reason[0])
            base_buf_addf(&text, ": %s", x->reason);
    }
    if (tail.len)
        base_buf_addf(&text, "\n%s", tail.data);
    out->diagnostics = base_buf_take(&text);
    nm_utf8_clean(out->diagnostics, strlen(out->diagnostics));
    base_buf_free(&tail);
}

bool nm_ending_read(const struct nm_files *f, const struct base_container_id *id, enum nm_kind kind,
                    struct nm_ending *out)
{
    struct nm_exit_file x;
    struct nm_result_file r = {0};
    memset(out, 0, sizeof *out);
    if (nm_files_exit(f, id, &x) < 0)
        return false;
    out->end = (struct nm_end){.exit_code = (int)x.exit_code,
                               .signal = (int)x.signal,
                               .started_ms = x.started_us / 1000,
                               .ended_ms = x.ended_us / 1000,
                               .cpu_ms = x.cpu_ms,
                               .max_rss_kb = x.max_rss_kb};
    if (kind == NM_KIND_MAP || kind == NM_KIND_REDUCE)
        nm_files_result(f, id, &r);
    out->counters = r.counters;
    out->end.output_bytes = r.output_bytes;
    if (x.exit_code != 0)
        diagnose(f, id, &x, out);
    out->end.diagnostics = out->diagnostics;
    out->end.counters = out->counters;
    return true;
}

void nm_ending_say(struct nm_ending *out, int exit_code, int64_t ended_ms, const char *text)
{
    memset(out, 0, sizeof *out);
    out->diagnostics = base_strdup(text);
    nm_utf8_clean(out->diagnostics, strlen(out->diagnostics));
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
