/* tests/fault/nm_fixture.h - real NodeManagers against the fake ResourceManager, in a private
 * folder. Waits are on conditions; only processes started here are ended. */
#ifndef CREEL_NM_FIXTURE_H
#define CREEL_NM_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/io/http_client.h"
#include "base/mem.h"
#include "tests/e2e/fake_rm.h"

#define FX_NODES_MAX 4
#define FX_WAIT_MS   30000

struct fx {
    char dir[256];
    struct fake_rm *rm;
    pid_t nm[FX_NODES_MAX];
    const char *conf[FX_NODES_MAX][16]; /* further -D values, NULL-ended */
    char local[FX_NODES_MAX][300];      /* creel.nodemanager.local-dir */
};

/* Folder of the programs under test: argv[1], else $CREEL_BIN. */
void fx_programs(int argc, char **argv);
const char *fx_program(const char *name, char buf[static 1024]);
struct fx *fx_new(void);
void fx_free(struct fx *fx); /* ends its NodeManagers and every container in their folders */
/* Starts node @i (0, 1, ...) and waits until it has registered once more. */
void fx_start(struct fx *fx, int i);
pid_t fx_spawn(struct fx *fx, int i);        /* the same without waiting */
void fx_kill(struct fx *fx, int i, int sig); /* and waits for its end */
/* Waits for the end of node @i's daemon and returns its wait status. */
int fx_wait(struct fx *fx, int i);

/* Returns the token of a container, made with the application's secret and valid for @life_ms;
 * static. */
const char *fx_container_token(const char *secret, const char *container, int64_t life_ms);

/* Whole file as text (caller frees), waits until it exists and is not empty; NULL after
 * FX_WAIT_MS. */
char *fx_file(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool fx_exists(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Polls @test until it is true; false after FX_WAIT_MS. */
bool fx_until(bool (*test)(void *u), void *u);
bool fx_gone(pid_t pid); /* waits until that process is gone (or a zombie) */
/* Returns true when SIGSTOP has stopped the process. One that waits for its child between vfork()
 * and exec gets no further than that when the child is stopped, too: it shows D, not T, with the
 * signal pending. Shells start their commands by vfork(), so any of them may be caught there. */
bool fx_is_stopped(pid_t pid);
int64_t fx_number(json_t *report, const char *name); /* member of a report, INT64_MIN: none */
/* Waits for the end of @container and returns its exit code; INT64_MIN: never came. */
int64_t fx_exit_code(struct fx *fx, const char *container);
/* GET below the node's address; returns the status, body in @out. */
long fx_get(struct fx *fx, int i, const char *path, const char *bearer, struct base_buf *out);
/* An application's id with the pid of this process in it, and ids of its containers: a node looks
 * on the whole host for what a lost container has left behind, so tests that run at the same time
 * must not share ids. */
const char *fx_app(void);
const char *fx_ct(int n, char buf[static 64]);

#endif
