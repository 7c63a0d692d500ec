#include "sim/manifest.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/io.h"
#include "base/mem.h"
#include "base/version.h"
#include "base/version/build.h"

static void append_quoted_for_sh(struct base_buf *b, const char *arg)
{
    static const char harmless[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";

    if (*arg && strspn(arg, harmless) == strlen(arg)) {
        base_buf_adds(b, arg);
        return;
    }
    base_buf_adds(b, "'");
    for (; *arg; arg++)
        base_buf_addf(b, *arg == '\'' ? "'\\''" : "%c", *arg);
    base_buf_adds(b, "'");
}

char *sim_manifest_quote_command(const struct sim_cli *cli)
{
    struct base_buf b = {0};

    base_buf_adds(&b, cli->argv[0]); /* "creel sim" */
    for (int i = 1; i < cli->argc; i++) {
        base_buf_adds(&b, " ");
        append_quoted_for_sh(&b, cli->argv[i]);
    }
    return base_buf_take(&b);
}

/* @s as a JSON string. Arguments may hold any bytes: unless @s is UTF-8, bytes outside ASCII become
 * '?'. */
static json_t *text_as_json(const char *s)
{
    json_t *j = json_string(s);

    if (!j) {
        char *plain = base_strdup(s);
        for (char *at = plain; *at; at++)
            *at = (unsigned char)*at < 0x80 ? *at : '?';
        j = json_string(plain);
        free(plain);
    }
    return j;
}

static json_t *text_list_as_json(const char *const *v, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, text_as_json(v[i]));
    return list;
}

static json_t *cluster_as_json(const struct sim_manifest *m)
{
    const struct sim_setup *s = m->setup;

    json_t *groups = json_array();
    for (size_t i = 0; i < s->groups_n; i++)
        json_array_append_new(
            groups, json_pack("{s:i, s:i, s:i, s:f}", "nodes", s->groups[i].nodes, "map_slots",
                              s->groups[i].slots[BASE_TASK_MAP], "reduce_slots",
                              s->groups[i].slots[BASE_TASK_REDUCE], "speed", s->groups[i].speed));
    return json_pack("{s:i, s:o, s:i, s:f, s:b, s:f}", "nodes", sim_setup_node_count(s), "groups",
                     groups, "racks", s->cluster.racks, "heartbeat_s",
                     (double)m->heartbeat_us / 1e6, "oob_heartbeat", s->cluster.oob, "slowstart",
                     s->slowstart);
}

static json_t *options_as_json(const struct policy_conf *c)
{
    json_t *o = json_object();

    for (size_t i = 0; i < c->n; i++)
        json_object_set_new(o, c->v[i].name, text_as_json(c->v[i].value));
    return o;
}

static json_t *sweeps_as_json(const struct sim_cli *cli)
{
    json_t *o = json_object();

    for (size_t i = 0; i < cli->sweeps_n; i++)
        json_object_set_new(o, cli->sweeps[i].key,
                            text_list_as_json((const char *const *)cli->sweeps[i].values.v,
                                              cli->sweeps[i].values.n));
    return o;
}

int sim_manifest_write(const struct sim_manifest *m, struct base_error *err)
{
    char *command = sim_manifest_quote_command(m->cli),
         *path = base_printf("%s/manifest.json", m->cli->out);
    json_t *j = json_object(), *seeds = json_array();

    for (uint64_t i = 0; i < m->cli->seeds_n; i++)
        json_array_append_new(seeds, json_integer((json_int_t)(m->cli->seed_first + i)));
    json_object_set_new(j, "creel", json_string(CREEL_VERSION));
    json_object_set_new(j, "commit",
                        *base_build_commit ? json_string(base_build_commit) : json_null());
    json_object_set_new(j, "command", text_as_json(command));
    json_object_set_new(
        j, "arguments",
        text_list_as_json((const char *const *)m->cli->argv + 1, (size_t)m->cli->argc - 1));
    json_object_set_new(j, "workload", text_as_json(m->cli->workload));
    json_object_set_new(j, "policies", text_list_as_json(m->policies, m->policies_n));
    json_object_set_new(j, "seeds", seeds);
    json_object_set_new(j, "cluster", cluster_as_json(m));
    json_object_set_new(j, "policy_options", options_as_json(&m->setup->options));
    json_object_set_new(j, "settings",
                        text_list_as_json((const char *const *)m->cli->sets.v, m->cli->sets.n));
    json_object_set_new(j, "sweep", sweeps_as_json(m->cli));
    char *text = json_dumps(j, JSON_INDENT(2));
    base_assert(text);
    int rc = base_file_write_atomic(path, text, strlen(text), 0644, false, err);
    free(text);
    json_decref(j);
    free(command);
    free(path);
    return rc;
}
