/* api/cli/yarn/node.h - `creel node` in the form of `yarn node`. */
#ifndef CREEL_API_CLI_YARN_NODE_H
#define CREEL_API_CLI_YARN_NODE_H

#include "api/cli/yarn/yarn.h"

extern const struct cli_yarn_option cli_yarn_node_options[];
/* Carries out the command in @line. Returns one of yarn's exit codes. */
int cli_yarn_node(struct cli *c, const struct cli_yarn_line *line);

#endif
