/* api/cli/rm_client.h - requests to the ResourceManager from the command line.
 *
 * The RM that answered last is asked first. One that does not answer, or is a standby that knows no active RM, is passed
 * over; a standby's redirect is followed at once (base/conf/rm_list.h bounds that). When all of them were asked in vain, a
 * patient call pauses (50 ms, doubling to 1 s, a random part of it) and begins again, for up to a minute; every call is
 * patient when there are several RMs, or when one has said that it is a standby. So a request may reach RMs more than
 * once: what is sent must be safe to repeat, as everything here is (submissions carry their id).
 *
 * A request that changes something carries ?user.name=. Nothing is printed here, except that a patient call tells once
 * that it waits. */
#ifndef CREEL_API_CLI_RM_CLIENT_H
#define CREEL_API_CLI_RM_CLIENT_H

#include "api/cli/cli.h"

struct cli_rm;

/* CLI_OK, or CLI_USAGE after printing which address is none. Sets c->rm. */
int cli_rm_open(struct cli *c);
void cli_rm_close(struct cli_rm *rm);
/* URL of the RM that answered last ("http://127.0.0.1:8088"); borrowed until the next call. */
const char *cli_rm_url(const struct cli_rm *rm);
/* How often an RM was asked in vain, since the start: a change means that another may answer now. */
int64_t cli_rm_failed_calls(const struct cli_rm *rm);
/* @tell(user) is called instead of printing that a patient call waits; NULL: printed again. */
void cli_rm_set_wait_notice(struct cli_rm *rm, void (*tell)(void *user), void *user);

struct cli_answer {
    long status;          /* 0: no answer came */
    struct base_buf text; /* the body as it came */
    json_t *json;         /* of a 2xx answer that is JSON, else NULL */
    char node[512];       /* the node that the answer names; "": none */
    char *error;          /* one line for people when the result is not CLI_OK */
};
void cli_answer_free(struct cli_answer *a);

enum {
    CLI_RM_PATIENT =
        1,           /* keep trying for a minute while no RM answers: a restart passes unnoticed */
    CLI_RM_ONCE = 2, /* every RM once, and none takes more than some seconds for this: the caller is
                        patient himself */
    CLI_RM_RELAYED = 4, /* as SOON, for what the RM itself has to ask a node: as long as the RM
                           waits for the node */
};
/* @path starts with "/ws/…" and may have a query. @body: JSON, may be NULL. Result: an exit code. A 404 is
 * CLI_NOTFOUND, other 4xx and refusals that say why (X-Creel-Reason) CLI_USAGE, other 5xx, no answer and what no RM
 * would answer CLI_UNREACHABLE; CLI_INTERRUPTED when a signal that api/cli/interrupt.h catches ended it. */
int cli_rm_call(struct cli_rm *rm, const char *method, const char *path, const json_t *body, unsigned flags,
                struct cli_answer *out);
/* GET; prints the error line itself. Caller owns *out (NULL on error). */
int cli_rm_get(struct cli *c, const char *path, json_t **out);
/* As cli_rm_get, and the answer has an object of this name. */
int cli_rm_get_object(struct cli *c, const char *path, const char *member, json_t **out);
/* For who does the patient waiting himself: the line that says so. */
void cli_rm_print_waiting(const struct cli_rm *rm);
/* One request to this RM alone ("http://host:port"), standby or not, of some seconds at most. As cli_rm_call(). */
int cli_rm_call_at(struct cli_rm *rm, const char *base, const char *method, const char *path, const json_t *body,
                   struct cli_answer *out);
/* The addresses that were given, in that order; borrowed. */
const struct base_rm_list *cli_rm_addresses(const struct cli_rm *rm);
/* GET of any absolute URL (an NM's), same result and texts. */
int cli_rm_get_url(struct cli_rm *rm, const char *url, struct cli_answer *out);
/* Prints @a's error, frees it, returns @rc. */
int cli_answer_print_error(struct cli_answer *a, int rc);

/* Asks for KILLED. *state gets the answered state, caller frees; *late: it had ended before. Prints errors. */
int cli_rm_kill(struct cli *c, const char *app_id, char **state, bool *late);
bool cli_state_ended(const char *state); /* FINISHED, FAILED, KILLED */
/* ---- reading answers leniently: dotted paths; numbers may be strings (YARN's bare maps) ---- */
const json_t *cli_at(const json_t *j, const char *path);
const char *cli_str(const json_t *j, const char *path); /* "" when absent */
int64_t cli_int(const json_t *j, const char *path);     /* 0 when absent */
double cli_num(const json_t *j, const char *path);
/* YARN shows a list of one as a bare object in places: element @i of either form. */
size_t cli_list_len(const json_t *j);
const json_t *cli_list_get(const json_t *j, size_t i);
/* Prints @j as one line of JSON. */
void cli_print_json(const json_t *j);

#endif
