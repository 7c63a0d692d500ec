/* api/cli/yarn/signal.h - signals to containers. */
#ifndef CREEL_API_CLI_YARN_SIGNAL_H
#define CREEL_API_CLI_YARN_SIGNAL_H

#include "api/cli/yarn/yarn.h"

/* Makes the RM send the signal @command ("FORCEFUL_SHUTDOWN") to a container. Returns CLI_YARN_OK,
 * or CLI_YARN_EXCEPTION after printing why it is refused. */
int cli_yarn_signal_container(struct cli *c, const char *container, const char *command);

#endif
