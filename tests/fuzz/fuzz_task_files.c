/* Any bytes as the files that a container leaves behind, all of which its command can write:
 * progress, result, failure and end, and its stderr. The NodeManager reads them within bounds, and
 * what it then tells the ResourceManager of the container is understood. Files of the input are
 * separated by '|', in the order of the list below. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/utf8.h"
#include "nodemanager/container/exit.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_node.h"

enum { PROGRESS, RESULT, FAILURE, EXIT, FILES };
static const char *const names[FILES] = {"progress", "result.json", "failure.json", "exit.json"};

const char *const creel_fuzz_samples[] = {
    "{\"progress\":0.5,\"phase\":\"shuffle\",\"counters\":{\"SPILLS\":1}}|{\"counters\":{\"MAP_"
    "INPUT_RECORDS\":7,"
    "\"SPILLS\":2},\"outputBytes\":19}|{\"exitCode\":-101,"
    "\"diagnostics\":\"No space left on "
    "device\"}|{\"exitCode\":1,\"signal\":0,\"startedUs\":1000000,\"endedUs\":2000000,"
    "\"cpuMs\":3,\"maxRssKb\":4,\"reason\":\"\"}|line\nlast words\n",
    "50%||{\"exitCode\":1,\"diagnostics\":\"\\u00fc\\u0000x\"}|{\"exitCode\":143,\"signal\":15,"
    "\"reason\":\"killed\"}|"
    "\xc3\xa9\xff",
    "0.25|{\"outputBytes\":9223372036854775807}||{\"exitCode\":0,\"endedUs\":-5}|",
    "1e999|[]|\"x\"|{\"exitCode\":-9223372036854775808,\"signal\":-3,\"maxRssKb\":1.5}|",
    NULL,
};

static struct nm_files files;
static struct base_container_id id;

static void remove_all(void)
{
    (void)base_rmtree(files.root, NULL);
}

/* The folder is made once; each run overwrites its files: in memory where that can be had, a
 * hundred times faster. */
static void prepare(void)
{
    /* the folder of tests/fuzz/one, which removes it however this process ends */
    const char *tmp = getenv("CREEL_FUZZ_TMP");
    char path[NM_PATH_MAX];

    if (!tmp || !*tmp)
        tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
    snprintf(files.root, sizeof files.root, "%s/creel-fuzz-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    base_assert(mkdtemp(files.root) != NULL);
    atexit(remove_all);
    base_assert(base_container_id_parse("container_e01_17_0001_01_000002", &id, NULL) == 0);
    base_assert(base_mkdirs(nm_path_in_container(&files, &id, "work", path), 0700, NULL) == 0);
    base_assert(base_mkdirs(nm_path_in_record(&files, &id, "", path), 0700, NULL) == 0);
    base_assert(base_mkdirs(nm_path_in_logs(&files, &id, "", path), 0700, NULL) == 0);
    base_assert((files.root_fd = open(files.root, O_PATH | O_DIRECTORY)) >= 0);
}

static void write_file(const char *path, const char *data, size_t len)
{
    FILE *f = fopen(path, "w");

    base_assert(f && fwrite(data, 1, len, f) == len && fclose(f) == 0);
}

static void write_files(const char *at, const char *end)
{
    char path[NM_PATH_MAX];

    for (int i = 0; i < FILES; i++) {
        const char *to = memchr(at, '|', (size_t)(end - at));

        to = to ? to : end;
        write_file(i == EXIT ? nm_path_in_record(&files, &id, names[i], path)
                             : nm_path_in_container(&files, &id, names[i], path),
                   at, (size_t)(to - at));
        at = to < end ? to + 1 : end;
    }
    write_file(nm_path_in_logs(&files, &id, "stderr", path), at, (size_t)(end - at));
}

static void check_ending(const struct nm_ending *e)
{
    base_assert(!e->diagnostics || base_utf8_valid(e->diagnostics));
    base_assert(!e->diagnostics || strlen(e->diagnostics) <= NM_FAILURE_TEXT_MAX + 512);
    base_assert(e->end.output_bytes >= 0);
}

/* Lets a NodeManager's core that was started again find the container: running, with its progress
 * and end to follow, or, without @p, ended. */
static void tell(enum base_container_kind kind, const struct nm_progress_file *p,
                 const struct nm_ending *e)
{
    struct nm_core *core = nm_core_new(1);
    struct nm_effects fx = {0};
    struct nm_event ev = {.kind = NM_EV_RECOVERED};

    ev.u.recovered.launch = (struct nm_launch){.id = id, .user = "ann", .token = "t", .kind = kind};
    ev.u.recovered.state = p ? NM_RUNNING : NM_COMPLETE;
    if (!p)
        ev.u.recovered.end = e->end;
    node_step(core, ev, &fx);
    node_step(core, (struct nm_event){.kind = NM_EV_START}, &fx);
    node_check_beat(core, &fx);
    ev = (struct nm_event){.kind = NM_EV_ANSWER};
    ev.u.answer.epoch = 1;
    node_step(core, ev, &fx);
    if (p) {
        ev = (struct nm_event){.kind = NM_EV_PROGRESS, .container = id};
        ev.u.progress.progress = p->progress;
        ev.u.progress.phase = p->phase;
        ev.u.progress.counters = p->counters;
        node_step(core, ev, &fx);
        ev = (struct nm_event){.kind = NM_EV_ENDED, .container = id, .u.ended = e->end};
        node_step(core, ev, &fx);
        ev = (struct nm_event){.kind = NM_EV_ANSWER};
        ev.u.answer.epoch = ev.u.answer.response_id = 1;
        node_step(core, ev, &fx);
    }
    node_check_beat(core, &fx);
    nm_core_free(core);
    free(fx.v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nm_progress_file p = {0};
    struct nm_pid_file pid;
    int64_t mtime_ns = 0;
    bool told;

    if (!files.root[0])
        prepare();
    write_files((const char *)data, (const char *)data + size);
    (void)nm_files_read_pid(&files, &id, &pid);
    told = nm_files_read_progress(&files, &id, &mtime_ns, &p);
    base_assert(!told || (p.progress >= 0 && p.progress <= 1 && base_utf8_valid(p.phase)));
    for (int kind = 0; kind < 2; kind++) {
        struct nm_ending e = {0};

        if (!nm_ending_read(&files, &id, kind ? BASE_CONTAINER_MAP : BASE_CONTAINER_COMMAND, &e))
            nm_ending_set(&e, 255, 1, "no end");
        check_ending(&e);
        tell(kind ? BASE_CONTAINER_MAP : BASE_CONTAINER_COMMAND, told ? &p : NULL, &e);
        nm_ending_free(&e);
    }
    if (told)
        free(p.counters);
    return 0;
}
