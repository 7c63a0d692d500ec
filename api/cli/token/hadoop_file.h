/* api/cli/token/hadoop_file.h - `creel token --hadoop-file`: writes the user's token into a file by
 * which Hadoop's own clients find it (base/hadoop/token.h, HADOOP_TOKEN_FILE_LOCATION). */
#ifndef CREEL_API_CLI_TOKEN_HADOOP_FILE_H
#define CREEL_API_CLI_TOKEN_HADOOP_FILE_H

#include "api/cli/cli.h"

/* Writes the file (0600) for the ResourceManagers' ports of Hadoop RPC at @addresses, "HOST:PORT"
 * separated by commas; NULL: those of the configuration (yarn.resourcemanager.address, or that of
 * each of several ResourceManagers). c->rm is open. Returns an exit code after printing any error.
 */
int cli_token_write_hadoop_file(struct cli *c, const char *path, const char *addresses);

#endif
