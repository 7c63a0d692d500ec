/* tests/sim/sim_nm.h - a NodeManager: the real nm_core and nm_rm_search, with a simulated link to
 * the RMs, disk (what a restart finds again) and processes, which survive the NodeManager. */
#ifndef CREEL_TESTS_SIM_NM_H
#define CREEL_TESTS_SIM_NM_H

#include "tests/sim/sim_world.h"

void sim_nm_init(struct sim_world *w, int index);
void sim_nm_start(struct sim_nm *nm);
void sim_nm_kill(struct sim_nm *nm); /* its processes live on */
/* The host loses power; unless @for_good, sim_nm_start() may start it again. */
void sim_nm_power(struct sim_nm *nm, bool for_good);
void sim_nm_box_ended(struct sim_nm *nm, struct sim_box *box);
struct sim_disk_box *sim_nm_find(struct sim_nm *nm, const struct base_container_id *id);
/* Returns true when reduces can fetch the output of this map now. */
bool sim_nm_serves(struct sim_nm *nm, const struct base_container_id *id);

/* ---- sim_nm.c ---- */
int sim_nm_rm_of(const char *url);      /* index of the RM at @url */
void sim_nm_abandon(struct sim_nm *nm); /* gives up the request in flight: another RM leads */

/* ---- sim_nm_look.c: looking around ---- */
void sim_nm_look_later(struct sim_nm *nm); /* plans a look at nm->search.look_us, if it is set */

/* ---- sim_box.c: processes ---- */
struct sim_box *sim_box_start(struct sim_nm *nm, struct sim_disk_box *d);
size_t sim_box_signal(struct sim_box *box,
                      enum nm_signal sig); /* returns how many processes it reached */
void sim_box_exit(struct sim_box *box, int code);
/* Returns a request of the process, to be filled in. */
struct sim_request *sim_box_request(struct sim_box *box, enum rm_event_kind kind);
void sim_step_begin(struct sim_box *box); /* sim_step.c */
void sim_box_vanish(struct sim_box *box); /* the host has lost power */

#endif
