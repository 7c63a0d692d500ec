/* api/cli/rmadmin.h - the commands of `creel rmadmin`. */
#ifndef CREEL_API_CLI_RMADMIN_H
#define CREEL_API_CLI_RMADMIN_H

#include "api/cli/rm_client.h"

enum cli_rmadmin_do {
    CLI_RMADMIN_NOTHING,
    CLI_RMADMIN_POLICY,         /* [NAME] */
    CLI_RMADMIN_REFRESH_QUEUES,
    CLI_RMADMIN_GET_STATE,      /* ID */
    CLI_RMADMIN_GET_ALL,
    CLI_RMADMIN_ACTIVE,         /* ID */
    CLI_RMADMIN_STANDBY,        /* ID */
    CLI_RMADMIN_FAILOVER,       /* FROM TO */
    CLI_RMADMIN_STATUS,         /* without a dash: ours */
};
/* ---- api/cli/rmadmin_ha.c ---- */
/* The last six. @option: its name, for messages; @ids: NULL where there is none. Exit code, printed. */
int cli_rmadmin_ha(struct cli *c, enum cli_rmadmin_do what, const char *option, char *const *ids);

#endif
