/* api/cli/yarn/admin.h - actions of `creel rmadmin` that change nodes and their labels. They print
 * errors as RMAdminCLI does, "<action>: <why>", and return one of yarn's exit codes. */
#ifndef CREEL_API_CLI_YARN_ADMIN_H
#define CREEL_API_CLI_YARN_ADMIN_H

#include "api/cli/yarn/yarn.h"

/* Prints "<action>: <text>" on stderr. Returns CLI_YARN_FAILED. */
int cli_admin_print_failure(const char *action, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Sends a request; prints a refusal as cli_admin_print_failure() does. @out may be NULL. */
int cli_admin_request(struct cli *c, const char *action, const char *method, const char *path,
                      const json_t *body, struct cli_answer *out);

/* ---- api/cli/yarn/labels.c ---- */
/* @text is "x(exclusive=true),y". */
int cli_admin_add_labels(struct cli *c, const char *text);
int cli_admin_remove_labels(struct cli *c, const char *text); /* "x,y" */
/* Each of @mappings is "host[:port]=label", or several of them separated by blanks. */
int cli_admin_replace_labels(struct cli *c, const struct cli_yarn_values *mappings,
                             bool fail_on_unknown_nodes);

/* ---- api/cli/yarn/refresh.c ---- */
/* Makes the RM read its lists of hosts again. @seconds: time-out, as typed; NULL or "-1": no limit.
 * @wait_here: returns only when no node is being decommissioned any more. */
int cli_admin_refresh_nodes(struct cli *c);
int cli_admin_refresh_nodes_gracefully(struct cli *c, const char *seconds, bool wait_here);
/* Changes what a node offers: "host:port memory vcores [timeout]", or "host:port
 * memory-mb=…,vcores=… [timeout]". */
int cli_admin_update_node_resource(struct cli *c, const struct cli_yarn_values *words);

#endif
