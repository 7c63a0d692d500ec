/* api/cli/rmadmin.h - the actions of `creel rmadmin`. */
#ifndef CREEL_API_CLI_RMADMIN_H
#define CREEL_API_CLI_RMADMIN_H

#include "api/cli/rm_client.h"

enum cli_rmadmin_do {
    CLI_RMADMIN_NOTHING,
    CLI_RMADMIN_GET_STATE, /* ID */
    CLI_RMADMIN_GET_ALL,
    CLI_RMADMIN_ACTIVE,   /* ID */
    CLI_RMADMIN_STANDBY,  /* ID */
    CLI_RMADMIN_FAILOVER, /* FROM TO */
    CLI_RMADMIN_HEALTH,   /* ID */
    CLI_RMADMIN_STATUS,   /* Creel's own, without a dash */
};
/* ---- api/cli/rmadmin_ha.c ---- */
/* Runs @what: CLI_RMADMIN_GET_STATE or an action listed after it. @option names the action in
 * messages. @ids has two entries, NULL where none was given. @refusal: what is wrong with the
 * arguments, printed instead of running @what; NULL: nothing. Returns one of creel's exit codes
 * after printing any error; CLI_YARN_FAILED for @refusal, or when HA is not enabled. */
int cli_rmadmin_run_ha_action(struct cli *c, enum cli_rmadmin_do what, const char *option,
                              char *const *ids, const char *refusal);

#endif
