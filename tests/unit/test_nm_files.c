/* Goal: a node may probe its disk with every heartbeat for years: what a probe opens it closes,
 * what it writes it removes. Method: many probes; descriptors and files are counted before and
 * after. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/container/folders.h"
#include "nodemanager/container/folders_internal.h"
#include "tests/unit/cunit_main.h"

static const struct nm_container_texts empty = {"{}", "{}", ""};
static size_t entries(const char *folder)
{
    DIR *d = opendir(folder);
    size_t n = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void test_probe(void)
{
    char root[] = "/tmp/creel-nm-files.XXXXXX";
    struct nm_files f = {0};
    struct nm_files_conf conf = {.root = root, .retain_s = 3600};
    struct nm_files_free_space room;
    struct base_error err;
    size_t open_before, files_before;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
    CU_ASSERT_EQUAL_FATAL(nm_files_open(&f, &conf, &err), 0);
    open_before = entries("/proc/self/fd");
    files_before = entries(root);
    for (int i = 0; i < 20; i++) {
        CU_ASSERT_EQUAL(nm_files_probe_disk_write(&f, 4096), 0);
        nm_files_get_free_space(&f, &room);
        CU_ASSERT(room.bytes > 0);
    }
    CU_ASSERT_EQUAL(entries("/proc/self/fd"), open_before);
    CU_ASSERT_EQUAL(entries(root), files_before);
    nm_files_close(&f);
    CU_ASSERT(entries("/proc/self/fd") < open_before); /* at least the lock is closed */
    CU_ASSERT_EQUAL(base_rmtree(root, &err), 0);
}

/* Goal: whatever a task puts in the place of the probe's file makes neither the node unhealthy nor
 * the probe write elsewhere. */
static void test_probe_planted(void)
{
    char root[] = "/tmp/creel-nm-files.XXXXXX", path[64], target[64];
    struct nm_files f = {0};
    struct nm_files_conf conf = {.root = root, .retain_s = 3600};
    struct base_error err;
    struct stat st;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
    CU_ASSERT_EQUAL_FATAL(nm_files_open(&f, &conf, &err), 0);
    snprintf(path, sizeof path, "%s/probe", root);
    snprintf(target, sizeof target, "%s/target", root);
    CU_ASSERT_EQUAL(base_file_write_atomic(target, "kept", 4, 0600, false, NULL), 0);
    for (int kind = 0; kind < 4; kind++) {
        int rc = kind == 0   ? mkdir(path, 0700)
                 : kind == 1 ? mkfifo(path, 0600)
                 : kind == 2 ? symlink("target", path)
                             : link(target, path);
        CU_ASSERT_EQUAL(rc, 0);
        size_t before = entries(root);
        CU_ASSERT_EQUAL(nm_files_probe_disk_write(&f, 4096), 0);
        CU_ASSERT_EQUAL(entries(root), before); /* files of others stay */
        CU_ASSERT(stat(target, &st) == 0 && st.st_size == 4);
        CU_ASSERT_EQUAL(remove(path), 0);
    }
    nm_files_close(&f);
    CU_ASSERT_EQUAL(base_rmtree(root, &err), 0);
}

static void forgotten(const struct base_container_id *id, void *u)
{
    *(int *)u += id->num == 7;
}

/* Goal: a list of forgotten containers of any size is read up to a bound: a start does not hang. */
static void test_forgotten(void)
{
    char root[] = "/tmp/creel-nm-files.XXXXXX", path[NM_PATH_MAX];
    struct base_container_id ct = {.attempt = {.app = {1, 2}, .attempt = 1}, .num = 7};
    struct nm_files f = {0};
    struct nm_files_conf conf = {.root = root, .retain_s = 3600};
    struct base_error err;
    int n = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
    CU_ASSERT_EQUAL_FATAL(nm_files_open(&f, &conf, &err), 0);
    CU_ASSERT_EQUAL(nm_files_create_app(&f, &ct.attempt.app, "ann", "t", NULL, &err), 0);
    CU_ASSERT_EQUAL(nm_files_create_container(&f, &ct, &empty, &err), 0);
    CU_ASSERT_EQUAL(nm_files_forget_container(&f, &ct, &err), 0);
    nm_path_in_app_record(&f, &ct.attempt.app, "forgotten", path);
    CU_ASSERT_EQUAL(truncate(path, (off_t)1 << 43), 0);
    nm_files_for_each_forgotten_id(&f, &ct.attempt.app, forgotten, &n);
    CU_ASSERT_EQUAL(n, 1);
    nm_files_close(&f);
    CU_ASSERT_EQUAL(base_rmtree(root, &err), 0);
}

/* Makes what a container leaves at <root>/used and <root>/record, and gives @name the mode
 * @mode. */
static void leave(const char *root, const char *name, mode_t mode)
{
    static const char *const made[] = {
        "used/",      "used/work/",         "record/",         "used/launch.json",
        "used/token", "record/launch.json", "record/pid.json", "record/exit.json"};
    char path[128];

    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", root, made[i]);
        int rc = path[strlen(path) - 1] == '/'
                     ? mkdir(path, 0700)
                     : base_file_write_atomic(path, "{}", 2, 0600, false, NULL);
        CU_ASSERT_EQUAL(rc, 0);
    }
    snprintf(path, sizeof path, "%s/%s", root, name);
    CU_ASSERT_EQUAL(chmod(path, mode), 0);
}

/* Goal: folders of an ended container serve the next one as they were made, or not at all: the next
 * container inherits no mode that the last one set. */
static void test_modes(void)
{
    static const struct {
        const char *name;
        mode_t mode;
        int rc;
    } rows[] = {{"used/work", 0700, 0},
                {"used/work", 0500, -BASE_ESTATE},
                {"used/work", 0777, -BASE_ESTATE},
                {"used", 0755, -BASE_ESTATE},
                {"used/launch.json", 0400, -BASE_ESTATE},
                {"used/launch.json", 0644, -BASE_ESTATE},
                {"used/token", 0644, -BASE_ESTATE},
                {"record/pid.json", 0666, -BASE_ESTATE},
                {"record", 0777, -BASE_ESTATE}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char root[] = "/tmp/creel-nm-files.XXXXXX", used[64], record[64];
        struct nm_spares s = {0};
        struct base_error err;
        int64_t number;

        CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
        snprintf(s.dir, sizeof s.dir, "%s/spare", root);
        mkdir(s.dir, 0700);
        leave(root, rows[i].name, rows[i].mode);
        snprintf(used, sizeof used, "%s/used", root);
        snprintf(record, sizeof record, "%s/record", root);
        CU_ASSERT_EQUAL(nm_spare_adopt(&s, used, record, &number, &err), rows[i].rc);
        CU_ASSERT_EQUAL(base_rmtree(root, &err), 0);
    }
}

/* Goal: folders of a container and an application that a container made unwritable are removed.
 * Method: root, whom no mode holds back, tries it as another user. */
static void test_unwritable(void)
{
    char root[] = "/tmp/creel-nm-files.XXXXXX", files[NM_PATH_MAX], app[NM_PATH_MAX];
    struct base_container_id ct = {.attempt = {.app = {1, 2}, .attempt = 1}, .num = 7};
    struct nm_files f = {0};
    struct nm_files_conf conf = {.root = root, .retain_s = 3600};
    struct base_error err;
    uid_t me = geteuid();

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
    if (me == 0) {
        CU_ASSERT_EQUAL(chown(root, 65534, (gid_t)-1), 0);
        CU_ASSERT_EQUAL_FATAL(seteuid(65534), 0);
    }
    CU_ASSERT_EQUAL_FATAL(nm_files_open(&f, &conf, &err), 0);
    CU_ASSERT_EQUAL(nm_files_create_app(&f, &ct.attempt.app, "ann", "t", NULL, &err), 0);
    CU_ASSERT_EQUAL(nm_files_create_container(&f, &ct, &empty, &err), 0);
    CU_ASSERT_EQUAL(chmod(nm_path_in_container(&f, &ct, NULL, files), 0500), 0);
    CU_ASSERT_EQUAL(nm_files_forget_container(&f, &ct, &err), 0);
    CU_ASSERT_EQUAL(access(files, F_OK), -1);
    CU_ASSERT_EQUAL(chmod(nm_path_in_app(&f, &ct.attempt.app, NULL, app), 0500), 0);
    nm_files_cleanup_app(&f, &ct.attempt.app, false);
    CU_ASSERT_EQUAL(access(app, F_OK), -1);
    nm_files_close(&f);
    CU_ASSERT_EQUAL(seteuid(me), 0);
    CU_ASSERT_EQUAL(base_rmtree(root, &err), 0);
}

static bool file_has(const char *path, const char *words)
{
    struct base_buf text = {0};
    bool has =
        base_file_read(path, 4096, &text, NULL) >= 0 && text.data && strstr(text.data, words);

    base_buf_free(&text);
    return has;
}

/* Goal: what a later launch brings of an application is recorded, and its first patterns for logs
 * stay. */
static void test_updated_app(void)
{
    char root[] = "/tmp/creel-nm-files.XXXXXX", path[NM_PATH_MAX], choice[64];
    struct base_app_id app = {1, 2};
    struct nm_files f = {0};
    struct nm_files_conf conf = {.root = root, .retain_s = 3600};
    struct base_error err;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
    CU_ASSERT_EQUAL_FATAL(nm_files_open(&f, &conf, &err), 0);
    CU_ASSERT_EQUAL(nm_files_create_app(&f, &app, "ann", "", NULL, &err), 0);
    CU_ASSERT_EQUAL(nm_files_update_app(&f, &app, "ann", "secret", "bob", &err), 0);
    nm_path_in_app_record(&f, &app, "spec.json", path);
    CU_ASSERT_TRUE(file_has(path, "\"secret\""));
    CU_ASSERT_TRUE(file_has(path, "\"bob\""));
    CU_ASSERT_EQUAL(nm_files_save_log_choice(&f, &app, "first", NULL, &err), 0);
    CU_ASSERT_EQUAL(nm_files_save_log_choice(&f, &app, "second", NULL, &err), 0);
    snprintf(choice, sizeof choice, "%s/logs/application_1_0002/.choice", root);
    CU_ASSERT_TRUE(file_has(choice, "\"first\""));
    CU_ASSERT_FALSE(nm_files_has_ended_logs(&f, &app));
    nm_files_cleanup_app(&f, &app, true);
    CU_ASSERT_TRUE(nm_files_has_ended_logs(&f, &app));
    nm_files_close(&f);
    CU_ASSERT_EQUAL(base_rmtree(root, &err), 0);
}

/* Goal: a launch does not wait until the folder that a crash has left in its place is removed,
 * whatever its size: that folder is moved to the trash, which the janitor empties. Method: no
 * janitor runs, so the folder is still in the trash. */
static void test_left_behind(void)
{
    char root[] = "/tmp/creel-nm-files.XXXXXX", trash[64];
    char files[NM_PATH_MAX], path[NM_PATH_MAX + 16];
    struct base_container_id ct = {.attempt = {.app = {1, 2}, .attempt = 1}, .num = 7};
    struct nm_files f = {0};
    struct nm_files_conf conf = {.root = root, .retain_s = 3600};
    struct base_error err;
    struct stat before, after;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
    CU_ASSERT_EQUAL_FATAL(nm_files_open(&f, &conf, &err), 0);
    CU_ASSERT_EQUAL(nm_files_create_app(&f, &ct.attempt.app, "ann", "t", NULL, &err), 0);
    nm_path_in_container(&f, &ct, NULL, files);
    snprintf(path, sizeof path, "%s/deep/er", files);
    CU_ASSERT_EQUAL(base_mkdirs(path, 0700, &err), 0);
    CU_ASSERT_EQUAL(stat(path, &before), 0);
    snprintf(trash, sizeof trash, "%s/trash", root);
    size_t in_trash = entries(trash);
    CU_ASSERT_EQUAL(nm_files_create_container(&f, &ct, &empty, &err), 0);
    CU_ASSERT_EQUAL(access(path, F_OK), -1);
    CU_ASSERT_EQUAL(entries(trash), in_trash + 1);
    CU_ASSERT_TRUE(f.work); /* the janitor was given work */
    DIR *d = opendir(trash);
    bool found = false;
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s/deep/er", trash, e->d_name);
        found = (stat(path, &after) == 0 && after.st_ino == before.st_ino) || found;
    }
    if (d)
        closedir(d);
    CU_ASSERT_TRUE(found);
    nm_path_in_container(&f, &ct, "work", files);
    CU_ASSERT_EQUAL(access(files, F_OK), 0);
    nm_files_close(&f);
    CU_ASSERT_EQUAL(base_rmtree(root, &err), 0);
}

/* Returns true once the index has no entry from before @f->opened_s. */
static bool is_swept(struct nm_files *f)
{
    pthread_mutex_lock(&f->lock);
    const struct nm_ended_app *first = nm_ended_logs_oldest(&f->retain);
    bool swept = !first || first->ended_s >= f->opened_s;
    pthread_mutex_unlock(&f->lock);
    return swept;
}

/* Goal: logs of an application that ended here twice stay until the time of its second end is over,
 * and those of an application that ended once are removed. Method: the index holds first ends of
 * long ago; the marks are of now. */
static void test_ended_twice(void)
{
    char root[] = "/tmp/creel-nm-files.XXXXXX";
    char twice[NM_PATH_MAX], once[NM_PATH_MAX], mark[NM_PATH_MAX + 16];
    const struct base_app_id ids[] = {{1, 2}, {1, 3}};
    struct nm_files f = {0};
    struct nm_files_conf conf = {.root = root, .retain_s = 3600};
    struct base_error err;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
    CU_ASSERT_EQUAL_FATAL(nm_files_open(&f, &conf, &err), 0);
    for (size_t i = 0; i < 2; i++)
        CU_ASSERT_EQUAL(nm_files_create_app(&f, &ids[i], "ann", "t", NULL, &err), 0);
    snprintf(twice, sizeof twice, "%s/logs/application_1_0002", root);
    snprintf(once, sizeof once, "%s/logs/application_1_0003", root);
    for (int i = 0; i < 2; i++)
        nm_files_cleanup_app(&f, &ids[0], true); /* twice: the clean-up is ordered again */
    nm_files_cleanup_app(&f, &ids[1], true);
    snprintf(mark, sizeof mark, "%s/.ended", once);
    /* A mark with an old time cannot be made; but without a mark, the index counts. */
    CU_ASSERT_EQUAL(unlink(mark), 0);
    for (size_t i = 0; i < 2; i++)
        nm_ended_logs_add(&f.retain, &ids[i], f.opened_s - 4000);
    CU_ASSERT_FALSE(is_swept(&f));
    CU_ASSERT_EQUAL_FATAL(nm_files_start_janitor(&f, &err), 0);
    for (int i = 0; i < 30000 && !(is_swept(&f) && access(once, F_OK) < 0); i++)
        usleep(1000);
    CU_ASSERT_TRUE(is_swept(&f));
    CU_ASSERT_EQUAL(access(once, F_OK), -1);
    nm_files_close(&f); /* what the janitor has begun is done */
    CU_ASSERT_EQUAL(access(twice, F_OK), 0);
    CU_ASSERT_EQUAL(base_rmtree(root, &err), 0);
}

#define STARTS 50
#define YIELDS 2000 /* in which the other thread gets as far as it can, nearly always */

struct start {
    struct nm_files *f;
    struct base_app_id id;
    atomic_bool begun, done;
};

static void *start_app(void *u)
{
    struct start *s = u;
    struct base_error err;

    atomic_store(&s->begun, true);
    CU_ASSERT_EQUAL(nm_files_create_app(s->f, &s->id, "ann", "t", NULL, &err), 0);
    atomic_store(&s->done, true);
    return NULL;
}

/* Goal: an application that starts again while the janitor removes its logs gets a folder for logs,
 * which nobody removes. Method: this thread is the janitor; whatever the other thread may do before
 * the release, it has most often had the time for. */
static void test_start_while_logs_are_removed(void)
{
    char root[] = "/tmp/creel-nm-files.XXXXXX", logs[64];
    struct nm_files f = {0};
    struct nm_files_conf conf = {.root = root, .retain_s = 3600};
    struct start s = {.f = &f, .id = {1, 2}};
    struct base_error err;
    pthread_t thread;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
    CU_ASSERT_EQUAL_FATAL(nm_files_open(&f, &conf, &err), 0);
    snprintf(logs, sizeof logs, "%s/logs/application_1_0002", root);
    CU_ASSERT_EQUAL(nm_files_create_app(&f, &s.id, "ann", "t", NULL, &err), 0);
    for (int i = 0; i < STARTS; i++) {
        CU_ASSERT_FALSE(nm_files_claim_ended_logs(&f, &s.id)); /* it runs here */
        nm_files_cleanup_app(&f, &s.id, true);
        CU_ASSERT_TRUE(nm_files_claim_ended_logs(&f, &s.id));
        atomic_store(&s.begun, false);
        atomic_store(&s.done, false);
        CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, start_app, &s), 0);
        while (!atomic_load(&s.begun))
            sched_yield();
        for (int k = 0; k < YIELDS && !atomic_load(&s.done); k++)
            sched_yield();
        CU_ASSERT_TRUE(nm_files_move_to_trash(&f, logs, NULL));
        nm_files_release_ended_logs(&f);
        pthread_join(thread, NULL);
        CU_ASSERT_EQUAL(access(logs, F_OK), 0);
        CU_ASSERT_TRUE(nm_files_has_app_record(&f, &s.id));
    }
    nm_files_close(&f);
    CU_ASSERT_EQUAL(base_rmtree(root, &err), 0);
}

static const struct base_app_id starting = {1, 2}, other_app = {1, 3};
static int discarded;

/* Called while the application starts: a spare folder for logs is of no use, since it has some. */
static bool claim_while_app_starts(void *u, const char *path)
{
    struct nm_files *f = u;

    discarded++;
    CU_ASSERT_FALSE(nm_files_claim_ended_logs(f, &starting));
    CU_ASSERT_TRUE(nm_files_claim_ended_logs(f, &other_app));
    nm_files_release_ended_logs(f);
    return base_rmtree(path, NULL) == 0;
}

/* Goal: the janitor does not begin to remove the logs of an application that is starting again. */
static void test_logs_of_starting_app(void)
{
    char root[] = "/tmp/creel-nm-files.XXXXXX";
    struct nm_files f = {0};
    struct nm_files_conf conf = {.root = root, .retain_s = 3600};
    struct base_error err;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
    CU_ASSERT_EQUAL_FATAL(nm_files_open(&f, &conf, &err), 0);
    CU_ASSERT_FALSE(nm_files_has_unended_logs(&f, &starting));
    CU_ASSERT_EQUAL(nm_files_create_app(&f, &starting, "ann", "t", NULL, &err), 0);
    CU_ASSERT_TRUE(nm_files_has_unended_logs(&f, &starting));
    nm_files_cleanup_app(&f, &starting, true);
    CU_ASSERT_FALSE(nm_files_has_unended_logs(&f, &starting));
    discarded = 0;
    f.spares.discard = claim_while_app_starts;
    CU_ASSERT_EQUAL(nm_files_create_app(&f, &starting, "ann", "t", NULL, &err), 0);
    CU_ASSERT_EQUAL(discarded, 1);
    nm_files_cleanup_app(&f, &starting, true);
    CU_ASSERT_TRUE(nm_files_claim_ended_logs(&f, &starting));
    nm_files_release_ended_logs(&f);
    nm_files_close(&f);
    CU_ASSERT_EQUAL(base_rmtree(root, &err), 0);
}

/* ---- state.json ---- */

/* Returns the path of the one state file that was kept aside in @root, which the caller frees;
 * NULL: none. Fails where there are several. */
static char *kept_state(const char *root)
{
    DIR *d = opendir(root);
    char *found = NULL;

    CU_ASSERT_PTR_NOT_NULL_FATAL(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        if (strncmp(e->d_name, "state.json.damaged-", 19) != 0)
            continue;
        CU_ASSERT_PTR_NULL(found);
        free(found);
        found = base_printf("%s/%s", root, e->d_name);
    }
    closedir(d);
    return found;
}

/* Goal: a state.json that holds no state does not keep a node from starting, and is kept aside, not
 * thrown away. */
static void test_damaged_state(void)
{
    static const struct {
        const char *text;
        size_t len;
    } rows[] = {
#define ROW(s) {s, sizeof s - 1}
        ROW(""),
        ROW("{\"epoch\":17,\"po"),
        ROW("\x00\x00\x00\x00\x00\x00\x00\x00"),
        ROW("\x8f\x1b\xff{\"epoch\":17,\"port\":80}"),
        ROW("null\n"),
        ROW("[17,80]\n"),
        ROW("{}\n"),
        ROW("{\"epoch\":17}\n"),
        ROW("{\"epoch\":-1,\"port\":80}\n"),
        ROW("{\"epoch\":17,\"port\":65536}\n"),
        ROW("{\"epoch\":99999999999999999999,\"port\":80}\n"),
        ROW("{\"epoch\":\"17\",\"port\":80}\n"),
#undef ROW
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char root[] = "/tmp/creel-nm-files.XXXXXX", path[64];
        const struct nm_disk_state next = {.epoch = 18, .port = 81};
        struct nm_disk_state st = {.epoch = 1, .port = 1};
        struct nm_files f = {0};
        struct nm_files_conf conf = {.root = root, .retain_s = 3600};
        struct base_buf b = {0};
        struct base_error err;

        CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
        CU_ASSERT_EQUAL_FATAL(nm_files_open(&f, &conf, &err), 0);
        snprintf(path, sizeof path, "%s/state.json", root);
        CU_ASSERT_EQUAL(base_file_write_atomic(path, rows[i].text, rows[i].len, 0600, false, NULL),
                        0);
        CU_ASSERT_EQUAL(nm_files_load_state(&f, &st, &err), 0);
        CU_ASSERT(st.epoch == 0 && st.port == 0);
        CU_ASSERT_EQUAL(access(path, F_OK), -1);
        char *kept = kept_state(root);
        CU_ASSERT_PTR_NOT_NULL_FATAL(kept);
        CU_ASSERT_EQUAL(base_file_read(kept, 100, &b, NULL), 0);
        CU_ASSERT(b.len == rows[i].len && (b.len == 0 || memcmp(b.data, rows[i].text, b.len) == 0));
        /* no state file at all: nothing is kept aside */
        CU_ASSERT_EQUAL(nm_files_load_state(&f, &st, &err), 0);
        CU_ASSERT_EQUAL(nm_files_save_state(&f, &next, &err), 0);
        CU_ASSERT_EQUAL(nm_files_load_state(&f, &st, &err), 0);
        CU_ASSERT(st.epoch == 18 && st.port == 81);
        free(kept);
        free(kept_state(root));
        base_buf_free(&b);
        nm_files_close(&f);
        CU_ASSERT_EQUAL(base_rmtree(root, &err), 0);
    }
}

static const struct cunit_case cases[] = {
    {"looking at the disk", test_probe},
    {"names planted where it is looked at", test_probe_planted},
    {"a list of forgotten containers of any size", test_forgotten},
    {"modes of folders that serve again", test_modes},
    {"folders that a container made unwritable", test_unwritable},
    {"what a crash left where a launch goes", test_left_behind},
    {"an application's record is updated", test_updated_app},
    {"logs of an application that ended twice", test_ended_twice},
    {"a start while logs are removed", test_start_while_logs_are_removed},
    {"logs of an application that is starting", test_logs_of_starting_app},
    {"a damaged state", test_damaged_state},
};

CUNIT_MAIN("a node's files", cases)
