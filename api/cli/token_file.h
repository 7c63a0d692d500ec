/* api/cli/token_file.h - finds the user's token for the ResourceManagers that a command talks to:
 *
 *   $CREEL_TOKEN_FILE                       if set
 *   DIR/rm.token of `creel dev`, with and without --ha, in its default folder, if the cluster there
 *                                           (DIR/rm.url) is the one that is talked to
 *   $XDG_STATE_HOME/creel/rm.token          that of a ResourceManager of this user, if it is the
 * one or ~/.local/state/creel/rm.token      that is talked to (second line of the file)
 *   $XDG_CONFIG_HOME/creel/token            what the user has put there
 *     or ~/.config/creel/token
 *
 * The first line of the file is the token. A file that others can read is refused. */
#ifndef CREEL_API_CLI_TOKEN_FILE_H
#define CREEL_API_CLI_TOKEN_FILE_H

#include <stdbool.h>

#include "base/conf/rm_list.h"
#include "base/error.h"

struct cli_token {
    char *text, *path; /* NULL: none was found */
};

/* Finds the token for @rms; call cli_token_clear() in any case. Returns 0, also when there is none;
 * or a negative BASE_E* when a file is refused, or $CREEL_TOKEN_FILE cannot be read. */
int cli_token_find(const struct base_rm_list *rms, struct cli_token *out, struct base_error *err);
/* Reads the file again, after its token was refused: a ResourceManager that has started anew writes
 * another one. Returns true when the token has changed. */
bool cli_token_reload(struct cli_token *t);
void cli_token_clear(struct cli_token *t);
/* Returns where tokens are sought, for messages; caller frees. */
char *cli_token_places(void);

#endif
