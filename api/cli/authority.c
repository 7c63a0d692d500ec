/* api/cli/authority.c - finds the certificate authority that a command trusts when it connects to
 * the daemons. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/cli.h"
#include "api/cli/token/token_file.h"
#include "base/io/io.h"
#include "base/io/private_file.h"
#include "base/io/tls_conf.h"

#define URL_FILE_MAX 8192

/* Returns true when file @path lists one of @rms. */
static bool file_lists_any_rm(const char *path, const struct base_rm_list *rms)
{
    struct base_buf text = {0};
    bool found = false;

    if (access(path, R_OK) == 0 && base_file_read(path, URL_FILE_MAX, &text, NULL) == 0)
        for (size_t i = 0; !found && i < rms->n; i++)
            found = cli_url_list_has(text.data ? text.data : "", rms->url[i]);
    base_buf_free(&text);
    return found;
}

/* Returns the authority of a cluster that `creel dev --tls` has started in its default folder, if
 * it is the one at @rms; NULL: none is. The caller frees it. */
static char *find_authority_of_dev_cluster(const struct base_rm_list *rms)
{
    static const char *const names[] = {"dev", "dev-ha"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *dir = base_user_state_path(names[i]);
        char *url = base_printf("%s/rm.url", dir), *ca = base_printf("%s/tls/ca.pem", dir);
        bool found = file_lists_any_rm(url, rms) && access(ca, R_OK) == 0;

        free(dir);
        free(url);
        if (found)
            return ca;
        free(ca);
    }
    return NULL;
}

void cli_trust_authority(const struct cli *c, const struct base_rm_list *rms)
{
    const char *ca = getenv(BASE_TLS_CA_VARIABLE),
               *key = base_conf_get(c->conf, "creel.tls.ca-file");
    char *of_dev = NULL;

    if (!ca || !*ca)
        ca = key;
    if (!ca || !*ca)
        ca = of_dev = find_authority_of_dev_cluster(rms);
    base_tls_trust_only(ca);
    free(of_dev);
}
