/* rm/http/pages/pages.h - what the ResourceManager's pages for people have in common. The pages
 * are below /cluster, as YARN's are; each reads views of the core (rm/core/view/view.h), bounded in
 * number, and answers at once, except for lists of applications (apps.c). */
#ifndef CREEL_RM_HTTP_PAGES_PAGES_H
#define CREEL_RM_HTTP_PAGES_PAGES_H

#include "api/pages/escape.h"
#include "api/pages/page.h"
#include "rm/daemon/backend.h"

#define RM_PAGE_ROWS 50  /* rows of a table; more follow on further pages */
#define RM_PAGE_NAME 120 /* bytes of a name in a table; the page of the object has all of it */

extern const struct api_page_site rm_site;

/* A page being written: its request, and the core's time when writing began. */
struct rm_page {
    struct api_request *rq;
    struct rm_backend *b;
    int64_t now_us;
};

/* Answers 200 with a page that only says that something does not exist, as YARN does. */
void rm_page_answer_missing(struct api_request *rq, const char *title, const char *text);
/* Returns true when the caller may not see application @id: the request has then been answered,
 * with a page that says so. An application that is not known is not refused. */
bool rm_page_refuse_app_unless_visible(const struct rm_page *p, struct base_app_id id);
/* An api_handler: answers 401 with a page that leads to the one for logging in. */
void rm_page_answer_login_needed(struct api_request *rq, void *backend);
/* Answers 400 with a page about parameter @name, whose value is refused. */
void rm_page_answer_bad_value(struct api_request *rq, const char *name, const char *value,
                              const char *expected);

/* ---- pieces of text: appended to a page ---- */
/* "2026-11-21 20:00:05 UTC"; "not yet" for 0. */
void rm_page_add_time(struct base_buf *out, int64_t us);
/* The same without "UTC", for columns that say so; nothing for 0. */
void rm_page_add_short_time(struct base_buf *out, int64_t us);
/* "3 d 4 h", "5 min 20 s", "12.3 s": the two largest units. */
void rm_page_add_duration(struct base_buf *out, int64_t us);
/* Appends the time from @start_us to @finish_us (0: to @now_us); nothing when it has not begun. */
void rm_page_add_elapsed_time(struct base_buf *out, int64_t start_us, int64_t finish_us,
                              int64_t now_us);
/* "512 MB", "12.5 GB". */
void rm_page_add_memory(struct base_buf *out, int64_t mb);
const char *rm_page_name_task_kind(enum base_task_kind k); /* "map", "reduce" */
/* A state's name, coloured by mood. */
enum rm_page_mood { RM_MOOD_IDLE, RM_MOOD_WAIT, RM_MOOD_RUN, RM_MOOD_GOOD, RM_MOOD_BAD };
void rm_page_add_state(struct base_buf *out, const char *name, enum rm_page_mood mood);
/* Appends the state of an application that clients see, and how the application ended. */
void rm_page_add_app_state(struct base_buf *out, const struct rm_app_view *v);
enum rm_page_mood rm_page_get_node_mood(enum rm_node_state s);
/* Appends a name, cut to RM_PAGE_NAME bytes. */
void rm_page_add_name(struct base_buf *out, const char *name);
void rm_page_add_app_link(struct base_buf *out, const struct base_app_id *id);
void rm_page_add_container_link(struct base_buf *out, const struct base_container_id *id);
/* Appends a link to the list of applications with "?NAME=VALUE". */
void rm_page_add_filter_link(struct base_buf *out, const char *name, const char *value);
/* Appends a link to the pages of the node at @http ("host:port", as given by the node); without an
 * address, just the text. */
void rm_page_add_node_link(struct base_buf *out, const char *http, const char *text);
/* Appends a link to the log files of a container on its node. */
void rm_page_add_logs_link(struct base_buf *out, const char *http,
                           const struct base_container_id *id, const char *user);
/* Appends "@used of @total" with a bar. */
void rm_page_add_use_bar(struct base_buf *out, int64_t used, int64_t total);
/* Appends why an application waits, or what else the scheduler says of it; nothing when there is
 * nothing to say. */
void rm_page_add_wait_explanation(struct base_buf *out, struct rm_backend *b,
                                  const struct rm_app_view *v);

/* ---- time lines: rows of a table, one bar in each ---- */
struct rm_time_line {
    int64_t from_us, to_us;
};
/* Returns the time line of an application: from its submission to its end, or to @now_us. */
struct rm_time_line rm_time_line_of(const struct rm_app_view *v, int64_t now_us);
/* Appends what the time line covers, in words. */
void rm_time_line_add_scale(struct base_buf *out, const struct rm_time_line *t);
/* Appends a bar from @start_us to @finish_us (0: it goes on). @sort: class of the bar. */
void rm_time_line_add_bar(struct base_buf *out, const struct rm_time_line *t, int64_t start_us,
                          int64_t finish_us, const char *sort);

/* ---- parts of an application: rm/http/pages/parts.c, tasks.c ---- */
/* Append tables: of attempts; of at most RM_PAGE_ROWS live containers of an attempt (id.attempt 0:
 * of all attempts), chosen by the query; of tasks of a job, chosen likewise. */
void rm_page_add_attempts(struct base_buf *out, const struct rm_views *v);
void rm_page_add_containers(struct base_buf *out, const struct rm_page *p,
                            const struct rm_app_view *app, struct base_attempt_id id);
void rm_page_add_tasks(struct base_buf *out, const struct rm_page *p,
                       const struct rm_app_view *app);

#endif
