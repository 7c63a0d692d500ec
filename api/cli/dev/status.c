/* api/cli/dev/status.c - shows the daemons of a cluster: after its start, and for --status. */
#include <stdlib.h>
#include <string.h>

#include "api/cli/dev/dev.h"
#include "api/cli/rm_client.h"
#include "api/cli/text/table.h"
#include "api/cli/text/text.h"
#include "base/io/tls_conf.h"

void cli_dev_print_status_json(const struct cli_dev *d)
{
    json_t *list = json_array();
    char *rms = cli_dev_join_rm_urls(d);
    for (size_t i = 0; i < d->n; i++) {
        const struct cli_dev_daemon *x = &d->v[i];
        bool alive = cli_proc_is_alive(&x->proc);
        json_t *one = json_pack("{s:s,s:s,s:i,s:b}", "name", x->name, "url", x->url, "pid",
                                (int)x->proc.pid, "running", alive);
        if (alive && cli_dev_is_ha(d) && cli_dev_is_rm(x))
            json_object_set_new(one, "role", json_string(cli_dev_ask_rm_role(x->url)));
        json_array_append_new(list, one);
    }
    json_t *j = json_pack("{s:s,s:s,s:o}", "dir", d->dir, "rm", rms, "daemons", list);
    cli_print_json(j);
    json_decref(j);
    free(rms);
}

static void print_rms_and_zookeeper(const struct cli_dev *d)
{
    for (size_t i = 0; i < d->n && cli_dev_is_rm(&d->v[i]); i++) {
        const char *role = cli_dev_is_ha(d) ? cli_dev_ask_rm_role(d->v[i].url) : "";
        printf("  %-15s  %s%s%s%s\n", i ? "" : "ResourceManager", d->v[i].url, *role ? " (" : "",
               role, *role ? ")" : "");
    }
    if (cli_dev_is_ha(d))
        printf("  ZooKeeper        %s\n", d->v[d->n - 1].url);
}

void cli_dev_print_start_message(const struct cli_dev *d, const struct cli_dev_options *o,
                                 bool detached)
{
    bool own_port = o->ha || o->tls || o->port != 8088, token = strcmp(o->auth, "simple") != 0;
    char *home = cli_dev_dir(NULL, cli_dev_is_ha(d)), *rms = cli_dev_join_rm_urls(d);
    struct base_buf quoted = {0};
    struct base_buf shown = {0};
    bool own_dir = strcmp(home, d->dir) != 0;
    cli_shell_quote(d->dir, &shown);
    if (cli_dev_is_ha(d) && !own_dir)
        base_buf_adds(&quoted, " --ha");
    if (own_dir) {
        base_buf_adds(&quoted, " --dir ");
        cli_shell_quote(d->dir, &quoted);
    }
    printf("Creel runs in %s\n\n", d->dir);
    print_rms_and_zookeeper(d);
    printf("  nodes            %zu, each with %lld map and %lld reduce slots\n",
           cli_dev_count_daemons(d, cli_dev_is_nm), (long long)d->map_slots,
           (long long)d->reduce_slots);
    printf("  policy           %s\n\n", d->policy);
    if (own_port)
        printf("  export CREEL_RM=%s\n", rms);
    if (d->tls && own_dir) {
        char *ca = cli_dev_authority_path(d);
        struct base_buf quoted_ca = {0};
        cli_shell_quote(ca, &quoted_ca);
        printf("  export " BASE_TLS_CA_VARIABLE "=%s\n", quoted_ca.data);
        base_buf_free(&quoted_ca);
        free(ca);
    }
    if (token && own_dir)
        printf("  export CREEL_TOKEN_FILE=%s/rm.token\n", shown.data);
    if (o->hadoop)
        cli_dev_print_hadoop_message(d, token);
    printf("  creel run -- hostname\n");
    printf("  creel job submit --task 'sleep 1' --count 20 --wait\n");
    if (token)
        printf("  curl -H @%s/rm.header %.*s/conf\n", shown.data, (int)strcspn(rms, ","), rms);
    if (detached)
        printf("  creel dev --stop%s\n", quoted.data ? quoted.data : "");
    else
        printf("\nCtrl-C stops it.\n");
    fflush(stdout);
    base_buf_free(&quoted);
    base_buf_free(&shown);
    free(rms);
    free(home);
}

int cli_dev_show_status(struct cli_dev *d, bool json)
{
    struct base_error err = {0};
    int rc = CLI_OK;
    if (cli_dev_load(d, &err) < 0)
        return cli_error(err.code == -BASE_ENOTFOUND ? CLI_NOTFOUND : CLI_FAILED, "%s", err.text);
    struct cli_table *t =
        cli_table_new("DAEMON", "<", "STATE", "<", "PID", ">", "URL", "<", "LOG", "~", NULL);
    for (size_t i = 0; i < d->n; i++) {
        bool alive = cli_proc_is_alive(&d->v[i].proc);
        const char *role = alive && cli_dev_is_ha(d) && cli_dev_is_rm(&d->v[i])
                               ? cli_dev_ask_rm_role(d->v[i].url)
                               : "";
        char pid[16], *log = cli_dev_path(d, d->v[i].name, ".log");
        snprintf(pid, sizeof pid, "%d", (int)d->v[i].proc.pid);
        cli_table_add_row(t, d->v[i].name,
                          !alive  ? "down"
                          : *role ? role
                                  : "running",
                          alive ? pid : "-", alive ? d->v[i].url : "-", log, NULL);
        free(log);
        if (!alive)
            rc = CLI_FAILED;
    }
    if (json) {
        cli_dev_print_status_json(d);
        cli_table_free(t);
    } else {
        cli_table_print_and_free(t, stdout);
    }
    return rc;
}
