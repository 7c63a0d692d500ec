/* api/cli/rmadmin_ha.c - the actions of `creel rmadmin` that show or move the leadership.
 *
 * Each action begins with GET /ws/v1/cluster/ha, sent to the RMs one by one, active or standby. The
 * configuration has their ids and addresses; --rm and CREEL_RM have only addresses, and then every
 * RM is asked for its id. Spellings and texts are those of Hadoop's HAAdmin and RMAdminCLI. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/interrupt.h"
#include "api/cli/rmadmin.h"
#include "api/cli/text/table.h"
#include "api/cli/text/text.h"
#include "api/cli/yarn/admin.h"
#include "api/cli/yarn/yarn.h"
#include "base/clock.h"

#define HA_PATH "/ws/v1/cluster/ha"
#define KEY_IDS "yarn.resourcemanager.ha.rm-ids"

enum { HOLD_MS = 10000, CHANGE_MS = 60000, POLL_MS = 5 };

struct one_rm {
    char *id, *url;
    char *state;   /* "active", "standby" …; NULL: no answer */
    int64_t epoch; /* epoch of its leadership; 0: unknown */
    char *error;   /* why there is no answer */
};
struct all_rms {
    struct one_rm v[BASE_RM_LIST_MAX];
    size_t n;
    bool ha; /* an RM that answered has HA enabled */
};

static void all_rms_free(struct all_rms *all)
{
    for (size_t i = 0; i < all->n; i++) {
        free(all->v[i].id);
        free(all->v[i].url);
        free(all->v[i].state);
        free(all->v[i].error);
    }
}

/* Asks one RM for its state, its epoch and, unless known, its id. Sets *ha if that RM has HA
 * enabled. */
static void query_rm(struct cli *c, struct one_rm *rm, bool *ha)
{
    struct cli_answer a = {0};
    int rc = cli_rm_call_at(c->rm, rm->url, "GET", HA_PATH, NULL, &a);
    free(rm->state);
    free(rm->error);
    rm->state = rm->error = NULL;
    if (rc == CLI_OK && *cli_str(a.json, "state")) {
        rm->state = base_strdup(cli_str(a.json, "state"));
        rm->epoch = cli_int(a.json, "epoch");
        *ha = *ha || json_is_true(json_object_get(a.json, "haEnabled"));
        if (!rm->id && *cli_str(a.json, "rmId"))
            rm->id = base_strdup(cli_str(a.json, "rmId"));
    } else {
        rm->error = base_strdup(a.error && *a.error ? a.error : "the answer has no state");
    }
    cli_answer_free(&a);
}

/* Takes the ids from the configuration, unless the addresses come from --rm or CREEL_RM;
 * base_rm_list_add_ha_ids() keeps their order. */
static void add_configured_ids(const struct cli *c, struct all_rms *all)
{
    const char *ids = base_conf_get(c->conf, KEY_IDS);
    const char *given = getenv("CREEL_RM");
    char *copy, *save = NULL;
    size_t i = 0;
    if (c->rm_arg || (given && *given) || !ids)
        return;
    copy = base_strdup(ids);
    for (char *id = strtok_r(copy, ", \t\r\n", &save); id && i < all->n;
         id = strtok_r(NULL, ", \t\r\n", &save))
        all->v[i++].id = base_strdup(id);
    free(copy);
}

/* Queries all RMs, or only the one with the id @only (NULL: all) when the ids are known beforehand:
 * a request to another RM may take long to fail. */
static void query_rms(struct cli *c, const char *only, struct all_rms *all)
{
    const struct base_rm_list *list = cli_rm_addresses(c->rm);
    for (all->n = 0; all->n < list->n; all->n++)
        all->v[all->n] = (struct one_rm){.url = base_strdup(list->url[all->n])};
    add_configured_ids(c, all);
    for (size_t i = 0; i < all->n; i++) {
        if (only && all->v[i].id && strcmp(all->v[i].id, only) != 0)
            continue;
        query_rm(c, &all->v[i], &all->ha);
        if (!all->v[i].id) /* the id is unknown: number the RM */
            all->v[i].id = base_printf("rm-%zu", i + 1);
    }
}

/* Returns the RM with this id, or NULL after printing that no RM has it. */
static struct one_rm *find_rm_or_print_error(struct all_rms *all, const char *id)
{
    struct base_buf known = {0};
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->v[i].id, id) == 0)
            return &all->v[i];
    for (size_t i = 0; i < all->n; i++)
        base_buf_addf(&known, " %s", all->v[i].id);
    cli_error(CLI_USAGE, "Illegal argument: %s is not a valid serviceId. It should be one of%s", id,
              known.data);
    base_buf_free(&known);
    return NULL;
}

static const struct one_rm *find_active_rm(const struct all_rms *all)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].state && strcmp(all->v[i].state, "active") == 0)
            return &all->v[i];
    return NULL;
}

static int print_no_answer_error(const struct one_rm *rm)
{
    return cli_error(CLI_UNREACHABLE, "Operation failed: %s does not answer at %s (%s)", rm->id,
                     rm->url, rm->error);
}

static json_t *rm_to_json(const struct one_rm *rm)
{
    json_t *j = json_pack("{s:s,s:s}", "id", rm->id, "url", rm->url);
    if (rm->state)
        json_object_set_new(j, "state", json_string(rm->state));
    else
        json_object_set_new(j, "error", json_string(rm->error));
    return j;
}

static int print_rm_state(struct cli *c, const struct one_rm *rm)
{
    if (!rm->state)
        return print_no_answer_error(rm);
    if (c->json) {
        json_t *j = rm_to_json(rm);
        cli_print_json(j);
        json_decref(j);
    } else {
        puts(rm->state);
    }
    return CLI_OK;
}

static int print_all_states(struct cli *c, const struct all_rms *all)
{
    json_t *list = json_array();
    for (size_t i = 0; i < all->n; i++) {
        const struct one_rm *rm = &all->v[i];
        struct base_buf text = {0};
        json_array_append_new(list, rm_to_json(rm));
        cli_text_add_clean(rm->state ? rm->state : rm->error, &text);
        if (!c->json) /* HAAdmin's format: address, state */
            printf("%-50s %s%-10s\n", strstr(rm->url, "://") + 3,
                   rm->state ? "" : "Failed to connect: ", text.data);
        base_buf_free(&text);
    }
    json_t *report = json_pack("{s:o}", "rms", list);
    if (c->json)
        cli_print_json(report);
    json_decref(report);
    return CLI_OK;
}

/* Prints all RMs in Creel's own form, with their ids. */
static int print_status(struct cli *c, const struct all_rms *all)
{
    json_t *list = json_array();
    struct cli_table *t =
        cli_table_new("ID", "<", "ADDRESS", "<", "STATE", "<", "EPOCH", ">", "ERROR", "~", NULL);
    size_t silent = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct one_rm *rm = &all->v[i];
        char epoch[24] = "-";
        bool active = rm->state && strcmp(rm->state, "active") == 0;
        json_t *j = rm_to_json(rm);
        if (active) {
            snprintf(epoch, sizeof epoch, "%lld", (long long)rm->epoch);
            json_object_set_new(j, "epoch", json_integer(rm->epoch));
        }
        json_array_append_new(list, j);
        silent += !rm->state;
        cli_table_add_row(t, rm->id, strstr(rm->url, "://") + 3, rm->state ? rm->state : "silent",
                          epoch, rm->state ? "-" : rm->error, NULL);
    }
    json_t *report = json_pack("{s:o,s:b}", "rms", list, "haEnabled", all->ha);
    if (c->json) {
        cli_print_json(report);
        cli_table_free(t);
    } else {
        cli_table_print_and_free(t, stdout);
    }
    json_decref(report);
    if (silent == all->n)
        return cli_error(CLI_UNREACHABLE, "no ResourceManager answers");
    return find_active_rm(all) ? CLI_OK : cli_error(CLI_FAILED, "no ResourceManager is active");
}

/* Orders @rm to become a standby. Returns an exit code after printing any error. */
static int order_standby(struct cli *c, const struct one_rm *rm)
{
    struct cli_answer a = {0};
    json_t *body = json_pack("{s:s,s:i}", "state", "standby", "holdMs", (int)HOLD_MS);
    int rc = cli_rm_call_at(c->rm, rm->url, "POST", HA_PATH, body, &a);
    json_decref(body);
    if (rc != CLI_OK)
        rc = cli_error(rc, "Operation failed: %s: %s", rm->id, a.error ? a.error : "no answer");
    cli_answer_free(&a);
    return rc;
}

/* Warns when no other RM answers, so that perhaps none takes over. @rm has become a standby
 * nevertheless, as in YARN. */
static void warn_if_no_successor(struct cli *c, struct all_rms *all, const struct one_rm *rm)
{
    for (size_t i = 0; i < all->n; i++) {
        if (&all->v[i] == rm)
            continue;
        query_rm(c, &all->v[i], &all->ha);
        if (all->v[i].state)
            return;
    }
    fprintf(stderr,
            "creel: no other ResourceManager answers: if none takes over, %s becomes active again "
            "after %d s\n",
            rm->id, (int)HOLD_MS / 1000);
}

static int make_rm_standby(struct cli *c, struct all_rms *all, struct one_rm *rm)
{
    int64_t until = base_mono_us(&base_clock_real) + CHANGE_MS * INT64_C(1000);
    if (!rm->state)
        return print_no_answer_error(rm);
    if (strcmp(rm->state, "standby") == 0) /* nothing to do, which is success, as in YARN */
        return print_rm_state(c, rm);
    int rc = order_standby(c, rm);
    while (rc == CLI_OK) {
        query_rm(c, rm, &all->ha);
        if (rm->state && strcmp(rm->state, "standby") == 0) {
            warn_if_no_successor(c, all, rm);
            return print_rm_state(c, rm);
        }
        if (base_mono_us(&base_clock_real) > until)
            return cli_error(CLI_FAILED, "Operation failed: %s is still %s", rm->id,
                             rm->state ? rm->state : "silent");
        cli_interrupt_sleep(POLL_MS);
    }
    return rc;
}

/* Waits until an RM other than @from is active, or @from is active again. Returns that RM, or NULL
 * when none became active in time. */
static const struct one_rm *wait_for_active_rm(struct cli *c, struct all_rms *all,
                                               const struct one_rm *from, struct one_rm *to)
{
    int64_t until = base_mono_us(&base_clock_real) + CHANGE_MS * INT64_C(1000);
    bool left = false; /* @from has been seen in a state other than active */
    do {
        query_rm(c, to, &all->ha); /* the likely successor first: once it is active, no other RM
                                      need be asked */
        for (size_t i = 0; i < all->n && !find_active_rm(all); i++)
            query_rm(c, &all->v[i], &all->ha);
        left = left || !from->state || strcmp(from->state, "active") != 0;
        const struct one_rm *active = find_active_rm(all);
        if (active && (active != from || left))
            return active;
        for (size_t i = 0; i < all->n; i++) { /* query all of them again */
            free(all->v[i].state);
            all->v[i].state = NULL;
        }
        cli_interrupt_sleep(POLL_MS);
    } while (base_mono_us(&base_clock_real) < until);
    return NULL;
}

static int print_failover(struct cli *c, const struct one_rm *from, const struct one_rm *to,
                          const struct one_rm *active, int64_t us)
{
    if (c->json) {
        json_t *j = json_pack("{s:s,s:s,s:s,s:f}", "from", from->id, "to", to->id, "active",
                              active->id, "ms", (double)us / 1000);
        cli_print_json(j);
        json_decref(j);
    } else if (active == from) {
        return cli_error(
            CLI_FAILED,
            "Operation failed: no ResourceManager took over from %s in %d ms; it is active again",
            from->id, (int)HOLD_MS);
    } else {
        printf("Failover from %s to %s successful (%.1f ms)\n", from->id, active->id,
               (double)us / 1000);
        if (active != to)
            printf("%s was the next in line, not %s\n", active->id, to->id);
    }
    return active == from ? CLI_FAILED : CLI_OK;
}

static int move_leadership(struct cli *c, struct all_rms *all, struct one_rm *from,
                           struct one_rm *to)
{
    const struct one_rm *active = find_active_rm(all);
    if (from == to)
        return cli_error(CLI_USAGE, "Illegal argument: failover from %s to itself", from->id);
    if (!from->state)
        return print_no_answer_error(from);
    if (!to->state)
        return print_no_answer_error(to);
    if (active != from)
        return cli_error(CLI_FAILED, "Operation failed: %s is %s; the active ResourceManager is %s",
                         from->id, from->state, active ? active->id : "not known");
    int64_t start = base_mono_us(&base_clock_real);
    int rc = order_standby(c, from);
    if (rc != CLI_OK)
        return rc;
    active = wait_for_active_rm(c, all, from, to);
    if (!active)
        return cli_error(CLI_FAILED, "Operation failed: no ResourceManager became active in %d s",
                         (int)CHANGE_MS / 1000);
    return print_failover(c, from, to, active, base_mono_us(&base_clock_real) - start);
}

/* SOURCE: HAAdmin.checkManualStateManagementOK */
static int refuse_transition_to_active(const struct all_rms *all, const struct one_rm *rm)
{
    const struct one_rm *active = find_active_rm(all);
    return cli_error(CLI_FAILED,
                     "Automatic failover is enabled for %s. Refusing to manually manage HA state, "
                     "since it may cause a split-brain scenario or other incorrect state. To move "
                     "the leadership: creel rmadmin -failover %s %s",
                     rm->id, active && active != rm ? active->id : "<active>", rm->id);
}

static bool has_any_rm_answered(const struct all_rms *all)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].state)
            return true;
    return false;
}

int cli_rmadmin_run_ha_action(struct cli *c, enum cli_rmadmin_do what, const char *option,
                              char *const *ids, const char *refusal)
{
    struct all_rms all = {0};
    struct one_rm *a = NULL, *b = NULL;
    int rc = CLI_OK;
    bool one =
        what == CLI_RMADMIN_GET_STATE || what == CLI_RMADMIN_STANDBY || what == CLI_RMADMIN_HEALTH;
    query_rms(c, one && !refusal ? ids[0] : NULL, &all);
    if (what == CLI_RMADMIN_STATUS) {
        rc = print_status(c, &all);
        all_rms_free(&all);
        return rc;
    }
    if (has_any_rm_answered(&all) && !all.ha) {
        printf("Cannot run %s when ResourceManager HA is not enabled\n", option);
        rc = CLI_YARN_FAILED;
    }
    if (rc == CLI_OK && refusal)
        rc = cli_admin_print_failure(option + 1, "%s", refusal);
    if (rc == CLI_OK && ids[0] && !(a = find_rm_or_print_error(&all, ids[0])))
        rc = CLI_USAGE;
    if (rc == CLI_OK && ids[0] && ids[1] && !(b = find_rm_or_print_error(&all, ids[1])))
        rc = CLI_USAGE;
    if (rc == CLI_OK && what == CLI_RMADMIN_GET_STATE)
        rc = print_rm_state(c, a);
    else if (rc == CLI_OK &&
             what == CLI_RMADMIN_HEALTH) /* an RM that answers is healthy; nothing is printed */
        rc = a->state ? CLI_OK : print_no_answer_error(a);
    else if (rc == CLI_OK && what == CLI_RMADMIN_GET_ALL)
        rc = print_all_states(c, &all);
    else if (rc == CLI_OK && what == CLI_RMADMIN_STANDBY)
        rc = make_rm_standby(c, &all, a);
    else if (rc == CLI_OK && what == CLI_RMADMIN_ACTIVE)
        rc = refuse_transition_to_active(&all, a);
    else if (rc == CLI_OK)
        rc = move_leadership(c, &all, a, b);
    all_rms_free(&all);
    return rc;
}
