/* tests/e2e/fake_mr.h - what a reduce talks to, in the test's own process: the RM's list of map
 * outputs, its commit and its complaints box, and a node that serves map outputs from folders of
 * finished maps. Thread-safe. */
#ifndef CREEL_FAKE_MR_H
#define CREEL_FAKE_MR_H

#include <stdbool.h>
#include <stdint.h>

/* the token of the container that runs the task */
#define FAKE_MR_KEY "container_1700000000000_0007_01_000002@9999999999999"
#define FAKE_MR_TOKEN                                                                              \
    FAKE_MR_KEY ".000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

struct fake_mr;
/* Serves outputs from @root/<container>/output. */
struct fake_mr *fake_mr_start(const char *root, int maps);
void fake_mr_stop(struct fake_mr *m);
uint16_t fake_mr_port(const struct fake_mr *m);

/* Names an output of @map. @port 0: this server; else a node at that port of this host. */
void fake_mr_publish(struct fake_mr *m, int map, int attempt, const char *container, uint16_t port);
/* The first complaint about @map makes the RM name the output of @container instead. */
void fake_mr_on_complaint(struct fake_mr *m, int map, const char *container);
/* Only the first fetch of @container, which is not there, is answered: the next one waits until a
 * reduce complains about @container, or this function is called again. */
void fake_mr_hold_missing(struct fake_mr *m, const char *container);
void fake_mr_set_away(struct fake_mr *m,
                      bool away); /* the RM answers 503, and numbers its outputs anew */
/* The RM is a standby: 307 to @active ("http://..."), 503 with "". NULL: the active one again. */
void fake_mr_stand_by(struct fake_mr *m, const char *active);
int fake_mr_asked(struct fake_mr *m); /* requests to the RM */
void fake_mr_give_up(struct fake_mr *m,
                     const char *task); /* forgets which attempt was allowed to commit */
void fake_mr_set_refuse(struct fake_mr *m, bool refuse); /* no attempt may commit */

int fake_mr_polls(struct fake_mr *m);
int fake_mr_fetches(struct fake_mr *m); /* outputs served */
int fake_mr_complaints(struct fake_mr *m);
bool fake_mr_complained(struct fake_mr *m, const char *container);
int fake_mr_wrong_tokens(struct fake_mr *m);

#endif
