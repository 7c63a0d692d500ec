/* api/cli/yarn/logs.h - `creel logs` in the form of `yarn logs`. */
#ifndef CREEL_API_CLI_YARN_LOGS_H
#define CREEL_API_CLI_YARN_LOGS_H

#include "api/cli/yarn/yarn.h"

/* Returns true when the arguments have the form of `yarn logs`: the first is not a word, neither -f
 * nor --json is among them, and they include an option that only yarn has, or no word at all. Also
 * true for --help, which describes both forms. */
bool cli_yarn_logs_are_asked_for(int argc, char **argv);
/* Carries out such a command line; @help describes `creel logs`. Returns an exit code. */
int cli_yarn_logs(const struct argp *help, int argc, char **argv);

#endif
