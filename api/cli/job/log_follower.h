/* api/cli/job/log_follower.h - follows growing log files of containers, several at once on one
 * thread (libcurl's multi interface).
 *
 *   WAITING --answer 200--> OPEN --answer complete--> ended, WHOLE
 *      ^  \--404 from the node; no connection--/ |
 *      +---- connection broken: resume at the offset reached
 *
 * A stream asks the node directly, or through the ResourceManager (api/cli/node_client.h): a try
 * that fails on one route is repeated on the other at once. A following stream retries until
 * cli_follow_stop_retrying(); from then on the first 404 from the node itself ends it, and so does
 * a try on both routes that brings no byte. */
#ifndef CREEL_API_CLI_JOB_LOG_FOLLOWER_H
#define CREEL_API_CLI_JOB_LOG_FOLLOWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cli/node_client.h"

enum cli_follow_result {
    CLI_FOLLOW_GOING,
    CLI_FOLLOW_WHOLE,  /* read to its end */
    CLI_FOLLOW_ABSENT, /* the node has no such file */
    CLI_FOLLOW_LOST,   /* could not be read on either route; see cli_follow_error() */
    CLI_FOLLOW_CLOSED, /* the sink has ended the stream */
};
struct cli_follow;
/* Receives the bytes in order. A result other than 0 ends the stream. */
typedef int cli_follow_sink(void *user, const char *data, size_t len);

struct cli_follow *cli_follow_new(void);
void cli_follow_free(struct cli_follow *f);
/* Adds a stream: log @file ("stdout") of @container on @node, which must outlive the stream, from
 * @offset on. With @follow the stream goes on until the container has ended, else to the present
 * end of the file. Returns the stream's number, counted from 0. */
size_t cli_follow_add(struct cli_follow *f, struct cli_node *node, const char *container,
                      const char *file, uint64_t offset, bool follow, cli_follow_sink *sink,
                      void *user);
/* Transfers the bytes that are ready; waits for some at most @timeout_ms, or until @wake_fd (-1:
 * none) is readable. Returns the number of streams that have not ended. */
size_t cli_follow_poll(struct cli_follow *f, int timeout_ms, int wake_fd);
bool cli_follow_has_ended(const struct cli_follow *f, size_t i);
enum cli_follow_result cli_follow_result(const struct cli_follow *f, size_t i);
/* Returns why the last try of stream @i failed; NULL when no try has ended yet, when the last one
 * read the log, found no such file, or was ended by the sink, and while one is reading the log. */
const char *cli_follow_error(const struct cli_follow *f, size_t i);
/* Returns the number of bytes that all streams have delivered so far. */
uint64_t cli_follow_bytes(const struct cli_follow *f);
/* Restarts an ended stream where it stopped, unless its sink ended it. */
void cli_follow_resume(struct cli_follow *f, size_t i);
/* Call when the containers have ended: every stream gets one last try. */
void cli_follow_stop_retrying(struct cli_follow *f);

#endif
