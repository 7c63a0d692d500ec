/* api/cli/token/token_file.h - finds the user's token for the ResourceManagers that a command talks
 * to, in the first of these files that exists:
 *
 *   $CREEL_TOKEN_FILE   if set; then no other place is tried
 *   DIR/rm.token        of `creel dev`, without and with --ha, in its default folder, if the
 *                       cluster there (DIR/rm.url) is the one that the command talks to
 *   STATE/rm.token      of a ResourceManager of this user, if the command talks to that one (its
 *                       addresses follow the token in the file)
 *   CONF/token          what the user has put there
 *
 * STATE: $XDG_STATE_HOME/creel or ~/.local/state/creel; CONF: $XDG_CONFIG_HOME/creel or
 * ~/.config/creel. A file's first line is the token. Files that others can read are refused. */
#ifndef CREEL_API_CLI_TOKEN_TOKEN_FILE_H
#define CREEL_API_CLI_TOKEN_TOKEN_FILE_H

#include <stdbool.h>

#include "base/conf/rm_list.h"
#include "base/error.h"

struct cli_token {
    char *text, *path; /* NULL: none was found */
};

/* Finds the token for @rms; call cli_token_clear() in any case. Returns 0, also when there is none;
 * or a negative BASE_E* when a file is refused, cannot be read or has no token, or when the file
 * that $CREEL_TOKEN_FILE names does not exist. */
int cli_token_find(const struct base_rm_list *rms, struct cli_token *out, struct base_error *err);
/* Reads the file again, after its token was refused: a ResourceManager writes a new token whenever
 * it starts. Returns true when the token has changed. */
bool cli_token_reload(struct cli_token *t);
void cli_token_clear(struct cli_token *t);
/* Returns true when @url is one of the addresses in @list, the text of a file rm.url; localhost and
 * [::1] are taken for 127.0.0.1. */
bool cli_url_list_has(const char *list, const char *url);
/* Returns where tokens are sought, apart from the folders of `creel dev`, for messages; caller
 * frees. */
char *cli_token_describe_places(void);

#endif
