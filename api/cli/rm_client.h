/* api/cli/rm_client.h - requests to the ResourceManager from the command line.
 *
 * A call asks the RM that answered last, then the others. The call skips an RM that does not
 * answer, a standby that knows no active RM, and a server that is no RM; it follows a standby's
 * redirect at once (base/conf/rm_cursor.h limits that). When no active RM has answered, a patient
 * call pauses (50 ms, doubling to 1 s, with jitter) and starts over, for up to a minute; it gives
 * up at once when every server asked is no RM. A call with CLI_RM_PATIENT is patient; so is a call
 * without flags when there are several RMs, or when an RM has called itself a standby. A request
 * may therefore reach RMs more than once, so all requests must be safe to repeat; submissions are,
 * because they carry their id.
 *
 * Every request to an RM carries ?user.name=, and the user's token if there is one
 * (api/cli/token/token_file.h): requests to the RMs as given carry it, not those to a server that
 * only a redirect names, nor those to nodes; the same holds for the Kerberos ticket that is used
 * where creel.auth is spnego and there is no token. When an RM refuses the token, its file is
 * read again, and the request is repeated if the token has changed. The functions print nothing
 * unless their comments say so, except that a patient call prints one line after a second without
 * an answer. */
#ifndef CREEL_API_CLI_RM_CLIENT_H
#define CREEL_API_CLI_RM_CLIENT_H

#include "api/cli/cli.h"

struct cli_rm;

/* Sets c->rm. Returns CLI_OK, or CLI_USAGE after printing an error about the addresses or the
 * user's token. */
int cli_rm_open(struct cli *c);
void cli_rm_close(struct cli_rm *rm);
/* Returns the user in whose name requests are sent: $HADOOP_USER_NAME, else the login name,
 * else the uid; borrowed. */
const char *cli_rm_user(const struct cli_rm *rm);
/* Returns the user's token; NULL: none was found. Borrowed until the next call that sends a request
 * or reloads the token. */
const char *cli_rm_token(const struct cli_rm *rm);
/* Returns true when a Kerberos ticket proves who the user is: there is no token, and creel.auth is
 * spnego. */
bool cli_rm_negotiates(const struct cli_rm *rm);
/* Reads the token's file again, after a server has refused the token. Returns true when the token
 * has changed. */
bool cli_rm_reload_token(struct cli_rm *rm);
/* Returns the URL of the RM that the next call asks first, that is the one that answered if the
 * last call was successful ("http://127.0.0.1:8088"); borrowed until the next call. */
const char *cli_rm_url(const struct cli_rm *rm);
/* Returns the number of requests sent by cli_rm_call() so far that no active RM answered; a call
 * may send several. A change means that another RM may lead now. */
int64_t cli_rm_count_failed_requests(const struct cli_rm *rm);
/* Makes patient calls call @on_wait(user) where they would print that they wait; NULL restores
 * printing. */
void cli_rm_set_wait_notice(struct cli_rm *rm, void (*on_wait)(void *user), void *user);

struct cli_answer {
    long status;          /* HTTP status; 0: no answer came */
    struct base_buf text; /* the body */
    json_t *json;         /* the body of a 2xx answer in JSON, else NULL */
    char node[512];       /* id of the node that answered, from its header; "": none given */
    char *error; /* one line for people; set unless the result is CLI_OK or CLI_INTERRUPTED */
};
void cli_answer_free(struct cli_answer *a);

enum {
    CLI_RM_PATIENT = 1, /* retry for a minute while no RM answers: survives a restart */
    CLI_RM_ONCE = 2,    /* ask each RM once, for a few seconds: the caller retries itself */
    CLI_RM_RELAYED = 4, /* as CLI_RM_ONCE, but wait as long as the RM may wait for a node */
};
/* Sends a request; @path starts with "/ws/…" and may have a query, @body may be NULL. @out, zeroed
 * or filled by an earlier call, is replaced; the caller frees it with cli_answer_free(). Returns
 * CLI_OK for 2xx; CLI_NOTFOUND for 404; CLI_USAGE for other 4xx, and for 5xx refusals with a reason
 * (X-Creel-Reason); CLI_UNREACHABLE for other 5xx, no answer, the answer of a standby, or one that
 * no RM would give; CLI_INTERRUPTED when a signal caught by api/cli/interrupt.h ended the call. */
int cli_rm_call(struct cli_rm *rm, const char *method, const char *path, const json_t *body,
                unsigned flags, struct cli_answer *out);
/* Sends a GET; prints any error. Returns what cli_rm_call() does. Caller owns *out (NULL on
 * error). */
int cli_rm_get(struct cli *c, const char *path, json_t **out);
/* Like cli_rm_get(), but requires the object @member in the answer: without it, prints an error and
 * returns CLI_UNREACHABLE. */
int cli_rm_get_object(struct cli *c, const char *path, const char *member, json_t **out);
/* Prints the line that a patient call prints while it waits, for callers that retry themselves. */
void cli_rm_print_waiting(const struct cli_rm *rm);
/* Sends one request to the RM at @base ("http://host:port"), active or standby, and waits for some
 * seconds at most. Returns what cli_rm_call() does. */
int cli_rm_call_at(struct cli_rm *rm, const char *base, const char *method, const char *path,
                   const json_t *body, struct cli_answer *out);
/* Returns the addresses as given; borrowed. */
const struct base_rm_list *cli_rm_addresses(const struct cli_rm *rm);
/* Sends a GET to the URL of a NodeManager, with the token @bearer (NULL: none). Returns what
 * cli_rm_call() does. */
int cli_rm_get_from_url(struct cli_rm *rm, const char *url, const char *bearer,
                        struct cli_answer *out);
/* Prints @a's error and frees @a; returns @rc. */
int cli_answer_print_error_and_free(struct cli_answer *a, int rc);

/* Kills an application. Returns what cli_rm_call() does, and prints any error. On CLI_OK sets
 * *state to the state in the RM's answer, which the caller frees, and *late to whether the
 * application had already ended. */
int cli_rm_kill_app(struct cli *c, const char *app_id, char **state, bool *late);
bool cli_state_is_final(const char *state); /* true for FINISHED, FAILED and KILLED */

/* ---- api/cli/answers.c: values out of an answer, whatever its form ----
 * @path is dotted ("job.state"). Numbers may be strings, as in YARN's bare maps. */
const json_t *cli_at(const json_t *j, const char *path);
const char *cli_str(const json_t *j, const char *path); /* "" when absent or no string */
int64_t cli_int(const json_t *j, const char *path);     /* 0 when absent */
double cli_num(const json_t *j, const char *path);      /* 0 when absent */
/* Some of YARN's lists of one element are that element without a list; these functions take both
 * forms. */
size_t cli_list_or_one_len(const json_t *j);
const json_t *cli_list_or_one_get(const json_t *j, size_t i);
/* Prints @j on one line of stdout. */
void cli_print_json(const json_t *j);

#endif
