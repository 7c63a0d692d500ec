/* api/cli/job/log_follower.h - log files of containers as they grow, several at once, on one thread
 * (libcurl multi).
 *
 *   WAITING --answer 200--> OPEN --complete answer--> ended, WHOLE
 *      ^  \--404 (not there yet), no connection--/ |
 *      +------- connection broken: again at the offset reached
 *
 * Each is asked for directly, or through the ResourceManager where the node cannot be reached
 * (api/cli/node_client.h): a try that came to nothing the one way is repeated the other way at
 * once. A stream that follows is asked for again until cli_follow_stop_retrying() was called: then
 * the first refusal ends it, and so does a try both ways without a byte. */
#ifndef CREEL_API_CLI_JOB_LOG_FOLLOWER_H
#define CREEL_API_CLI_JOB_LOG_FOLLOWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cli/node_client.h"

enum cli_follow_result {
    CLI_FOLLOW_GOING,
    CLI_FOLLOW_WHOLE,  /* to its end */
    CLI_FOLLOW_ABSENT, /* the node says that it has no such file */
    CLI_FOLLOW_LOST,   /* neither way; cli_follow_error() */
    CLI_FOLLOW_CLOSED, /* the sink wants no more */
};
struct cli_follow;
/* Gets the bytes in order. Not 0: nobody wants more, the stream ends. */
typedef int cli_follow_sink(void *user, const char *data, size_t len);

struct cli_follow *cli_follow_new(void);
void cli_follow_free(struct cli_follow *f);
/* Raw log of @container's @file ("stdout") on @node, which outlives it. Without @follow: what is there now, once.
 * Returns the stream's number, counted from 0. */
size_t cli_follow_add(struct cli_follow *f, struct cli_node *node, const char *container, const char *file,
                      bool follow, cli_follow_sink *sink, void *user);
/* Moves bytes; waits for some at most @timeout_ms, or until @wake_fd (-1: none) is readable. Returns how many streams
 * have not ended. */
size_t cli_follow_poll(struct cli_follow *f, int timeout_ms, int wake_fd);
bool cli_follow_ended(const struct cli_follow *f, size_t i);
enum cli_follow_result cli_follow_result(const struct cli_follow *f, size_t i);
/* Why the last tries of stream @i came to nothing; NULL: the log is had now, or no try has ended yet. */
const char *cli_follow_error(const struct cli_follow *f, size_t i);
uint64_t cli_follow_bytes(const struct cli_follow *f); /* handed over so far, of all streams */
/* Asks again for an ended stream, from where it stopped. */
void cli_follow_resume(struct cli_follow *f, size_t i);
/* The containers are over: what cannot be had at once is not there. */
void cli_follow_stop_retrying(struct cli_follow *f);

#endif
