/* api/cli/cli_follow.h - log files of containers as they grow, several at once, on one thread (libcurl multi).
 *
 *   WAITING --answer 200--> OPEN --complete answer--> ENDED
 *      ^  \--404 (not there yet), no connection--/ |
 *      +------- connection broken: again at the offset reached
 *
 * A stream that follows is asked for again until cli_follow_last_chance() was called: then the first refusal ends it.
 */
#ifndef CREEL_API_CLI_FOLLOW_H
#define CREEL_API_CLI_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>

struct cli_follow;
/* Gets the bytes in order. Not 0: nobody wants more, the stream ends. */
typedef int cli_follow_sink(void *user, const char *data, size_t len);

struct cli_follow *cli_follow_new(void);
void cli_follow_free(struct cli_follow *f);
/* "http://node" + raw log of @container's @file ("stdout"). @node_http: "host:port" with or without scheme. Without
 * @follow: what is there now, once. Returns the stream's number, counted from 0. */
size_t cli_follow_add(struct cli_follow *f, const char *node_http, const char *container, const char *file, bool follow,
                      cli_follow_sink *sink, void *user);
/* Moves bytes; waits for some at most @timeout_ms, or until @wake_fd (-1: none) is readable. Returns how many streams
 * have not ended. */
size_t cli_follow_turn(struct cli_follow *f, int timeout_ms, int wake_fd);
bool cli_follow_ended(const struct cli_follow *f, size_t i);
/* HTTP status of the last answer of stream @i; 0: none came. */
long cli_follow_status(const struct cli_follow *f, size_t i);
bool cli_follow_sink_closed(const struct cli_follow *f, size_t i);
/* Asks again for an ended stream, from where it stopped. */
void cli_follow_again(struct cli_follow *f, size_t i);
/* The containers are over: what cannot be had at once is not there. */
void cli_follow_last_chance(struct cli_follow *f);

#endif
