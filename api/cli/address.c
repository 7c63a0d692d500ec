/* api/cli/address.c - finds the addresses of the ResourceManagers. */
#include <stdlib.h>
#include <string.h>

#include "api/cli/cli.h"
#include "base/conf/http_policy.h"

static int add_urls_or_default(const struct cli *c, const char *from, const char *text,
                               struct base_rm_list *out, struct base_error *err)
{
    return base_rm_list_add_text_by_policy(
        c->conf, from, text && *text ? text : base_rm_list_configured_text(c->conf), out, err);
}

/* Returns true when neither -D nor a readable file sets any of @keys, and some file could not be
 * read. */
static bool may_be_set_in_unreadable_file(const struct cli *c, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (base_conf_is_set(c->conf, keys[i]))
            return false;
    return c->left_out;
}

int cli_rm_list_read(const struct cli *c, struct base_rm_list *out)
{
    const char *const keys[] = {base_http_policy_rm_address_key(c->conf), "creel.nodemanager.rm"};
    const char *text = c->rm_arg ? c->rm_arg : getenv("CREEL_RM"),
               *from = c->rm_arg ? "--rm" : "CREEL_RM";
    const size_t keys_n = sizeof keys / sizeof *keys;
    struct base_error err = {0};
    int rc = 0;

    *out = (struct base_rm_list){0};
    if (!text || !*text) {
        rc = base_rm_list_add_ha_ids(c->conf, out, &err);
        if (rc == 0 && out->n == 0 && may_be_set_in_unreadable_file(c, keys, keys_n))
            rc = base_error_set(
                &err, -BASE_EPERM,
                "you may not read %s; name the ResourceManagers with --rm or CREEL_RM",
                c->left_out);
        for (size_t i = 0; (!text || !*text) && i < keys_n; i++) {
            from = keys[i];
            text = base_conf_is_set(c->conf, from) ? base_conf_get(c->conf, from) : NULL;
        }
    }
    if (rc == 0 && out->n == 0)
        rc = add_urls_or_default(c, from, text, out, &err);
    if (rc == 0)
        return CLI_OK;
    base_rm_list_free(out);
    return cli_error(CLI_USAGE, "%s", err.text);
}
