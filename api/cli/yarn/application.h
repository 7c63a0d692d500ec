/* api/cli/yarn/application.h - `creel application` in the form of `yarn application`. */
#ifndef CREEL_API_CLI_YARN_APPLICATION_H
#define CREEL_API_CLI_YARN_APPLICATION_H

#include "api/cli/yarn/yarn.h"

extern const struct cli_yarn_option cli_yarn_application_options[];
/* Carries out the command in @line. Returns one of yarn's exit codes. */
int cli_yarn_application(struct cli *c, const struct cli_yarn_line *line);

#endif
