/* api/cli/job/log_sources.h - the containers whose logs an id stands for, and the logs that are
 * missing.
 *
 * The containers come from the tasks of a job, or from the attempts of an application. Containers
 * that neither names (of ended applications, and of attempts before a task's last one) are sought
 * on the nodes, which keep logs longer than the ResourceManager keeps containers. Logs that should
 * exist and cannot be read are collected as missing, and named at the end. */
#ifndef CREEL_API_CLI_JOB_LOG_SOURCES_H
#define CREEL_API_CLI_JOB_LOG_SOURCES_H

#include "api/cli/node_client.h"

#define CLI_LOG_NO_NODE "its node is no longer known"

/* A container whose logs are to be shown. */
struct cli_log_source {
    char *container, *node_http, *label; /* label: the task, or "master" */
    struct cli_node *node;               /* NULL: the ResourceManager no longer knows it */
    bool running;                        /* it was running at the last search */
    bool absent;                         /* none of the files exists on its node */
};
/* Logs that should exist and cannot be read: of one container, or of all that ran on one node. */
struct cli_log_missing {
    char *what, *why;
};
/* A node from which no file could be read, neither directly nor through the RM. */
struct cli_log_silent {
    const struct cli_node *node;
    char *why;
};
struct cli_log_sources {
    struct cli_log_source *v;
    size_t n, cap;
    struct cli_nodes *nodes;
    struct cli_log_silent *silent;
    size_t n_silent, cap_silent;
    struct cli_log_missing *missing;
    size_t n_missing, cap_missing;
    int64_t started_ms; /* submission of the job, or start of the application */
    int64_t lost;       /* number of failed and killed attempts that are not the last of their task:
                           no answer names their containers */
    bool ended;         /* the application has ended: no new containers */
    bool patient;       /* the caller retries later, so print no error when no RM answers */
};
void cli_log_sources_free(struct cli_log_sources *s);

/* Finds the containers that @id stands for and adds those that are new; may be called again.
 * out->nodes must be set. Returns an exit code after printing any error (but see out->patient). */
int cli_log_sources_find(struct cli *c, const char *id, struct cli_log_sources *out);
/* Adds the containers of earlier attempts of a job's tasks, as far as nodes still have their logs.
 */
void cli_log_sources_find_earlier_attempts(struct cli *c, struct cli_log_sources *out);
/* Returns NULL when @container is not among the sources; borrowed until sources are added. */
struct cli_log_source *cli_log_sources_find_container(const struct cli_log_sources *s,
                                                      const char *container);
/* Returns true when @id is the id of a job or application, false for an id of something in it. */
bool cli_log_id_is_of_whole_app(const char *id);

/* Notes that the logs of @of are missing; a second note about the same container is ignored. */
void cli_log_sources_add_missing(struct cli_log_sources *s, const struct cli_log_source *of,
                                 const char *why);
void cli_log_sources_clear_missing(struct cli_log_sources *s);
/* Returns CLI_OK, or CLI_INCOMPLETE after printing what is missing. */
int cli_log_sources_print_missing(const struct cli_log_sources *s);
/* Returns why no file could be read from @node so far; NULL: the node is not known to be silent. */
const char *cli_log_sources_silence_reason(const struct cli_log_sources *s,
                                           const struct cli_node *node);

#endif
