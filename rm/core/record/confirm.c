/* Decides whether the store belongs to the nodes' cluster: an empty store may have lost its
 * contents, or belong to another cluster. The rules are in rm/core/core.h. The result is stored as
 * meta/format "f2 <confirmed 0|1>".
 *
 * The version of this record stands for the whole store: a ResourceManager that does not know the
 * version must not lead jobs that a newer one has led. Under "f1" attempts wrote their parts to the
 * output folder itself; such a ResourceManager would discard the parts that wait for the commit. */
#include "rm/core/record/confirm.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/emit.h"
#include "rm/core/node/forget.h"
#include "rm/core/record/reader.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

int rm_confirm_read_format(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = {.p = rec->data, .end = rec->data + rec->len, .bad = rec->data == NULL};

    c->format_old = rec->len >= 3 && memcmp(rec->data, "f1 ", 3) == 0;
    rm_skip_word(&r, c->format_old ? "f1" : "f2");
    c->format = rm_get_int_in(&r, 0, 1) == 1 ? RM_FORMAT_CONFIRMED : RM_FORMAT_NEW;
    if (!r.bad && r.p == r.end)
        return 0;
    c->format = RM_FORMAT_UNKNOWN;
    if (c->conf.format_confirmed) /* the record is then written again */
        return 0;
    return base_error_set(err, -BASE_ECORRUPT,
                          "record %s/%s is damaged: it no longer tells whether this is the store "
                          "that the nodes work for. "
                          "If it is, start once with --format-confirmed, which writes the record "
                          "anew; else restore a copy "
                          "of the store",
                          rec->table, rec->key);
}

/* A store with applications but without a format record was written by an earlier version, and
 * counts as confirmed. */
void rm_confirm_decide_and_record_format(struct rm_core *c)
{
    enum rm_format before = c->format;

    if (c->conf.format_confirmed || (before == RM_FORMAT_UNKNOWN && c->apps_n))
        c->format = RM_FORMAT_CONFIRMED;
    else if (before == RM_FORMAT_UNKNOWN)
        c->format = RM_FORMAT_NEW;
    if (c->format != before || c->format_old)
        rm_record_format(c, c->format == RM_FORMAT_CONFIRMED);
    c->format_old = false;
}

void rm_core_confirm_format(struct rm_core *c, struct rm_effects *out)
{
    c->conf.format_confirmed = true;
    c->out = out;
    rm_confirm_decide_and_record_format(c);
    c->out = NULL;
}

/* Returns the number of live containers of unknown applications that a registration reports; 0 when
 * its node (@n, or NULL) is not new to this store, and once the store is confirmed. */
static size_t count_unknown_containers(const struct rm_core *c, const struct rm_node *n,
                                       const struct rm_event *ev)
{
    size_t count = 0;

    if (c->format != RM_FORMAT_NEW || (n && n->instance))
        return 0;
    for (size_t i = 0; i < ev->u.node_register.reports_n; i++) {
        const struct rm_container_report *r = &ev->u.node_register.reports[i];

        count += r->state != RM_CONTAINER_COMPLETED && !rm_app_find(c, r->id.attempt.app);
    }
    return count;
}

static void set_node_refused_and_count(struct rm_core *c, struct rm_node *n, bool refused)
{
    c->refused_n += refused - n->refused;
    n->refused = refused;
}

void rm_confirm_end_node_refusal(struct rm_core *c, struct rm_node *n)
{
    set_node_refused_and_count(c, n, false);
}

/* A refused node tries to register again. When it has not tried for node_expiry_us, its refusal
 * ends. */
static void restart_refused_node_expiry(struct rm_core *c, struct rm_node *n)
{
    if (n->registered || n->awaited)
        return;
    n->last_us = c->now_us;
    rm_timer_set(&c->timers, &n->expiry, c->now_us + c->conf.node_expiry_us);
}

/* Returns @n, or a new node with the name, host and rack of the registration. */
static struct rm_node *add_node_if_unknown(struct rm_core *c, struct rm_node *n,
                                           const struct rm_event *ev)
{
    if (n)
        return n;
    n = rm_node_new(c, ev->u.node_register.node_id);
    rm_node_set_host_and_rack(c, n, ev->u.node_register.host, ev->u.node_register.rack);
    return n;
}

static char *compose_node_refusal(const struct rm_core *c, const struct rm_event *ev,
                                  size_t unknown_containers)
{
    struct base_buf b = {0};

    base_buf_addf(&b, "node %s ", ev->u.node_register.node_id);
    if (unknown_containers)
        base_buf_addf(&b, "runs %zu container%s of applications that the state store does not know",
                      unknown_containers, unknown_containers == 1 ? "" : "s");
    if (ev->u.node_register.epoch_seen > c->conf.epoch)
        base_buf_addf(&b, "%shas obeyed epoch %lld, this ResourceManager's is %lld",
                      unknown_containers ? " and " : "", (long long)ev->u.node_register.epoch_seen,
                      (long long)c->conf.epoch);
    if (c->conf.format_confirmed) { /* so only the epoch is the reason */
        base_buf_adds(&b, ". A higher one is asked for; the node is let in when it is there");
        return b.data;
    }
    if (!c->apps_n && c->format == RM_FORMAT_NEW)
        base_buf_adds(&b,
                      "; the store knows no application at all: it is empty, or another cluster's");
    base_buf_adds(&b, ". Nothing was changed. Start with the right store, or with "
                      "--format-confirmed to go on with this "
                      "one: what it does not know is killed then");
    return b.data;
}

bool rm_confirm_refuse_node_if_foreign(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_node *n = rm_node_find(c, ev->u.node_register.node_id);
    size_t live = count_unknown_containers(c, n, ev);
    int64_t seen = ev->u.node_register.epoch_seen;

    if (!live && seen <= c->conf.epoch) {
        if (n && n->refused) /* it was refused before, and is accepted now */
            set_node_refused_and_count(c, n, false);
        return false;
    }
    free(c->refused_text);
    c->refused_text = compose_node_refusal(c, ev, live);
    n = add_node_if_unknown(c, n, ev);
    if (!n->refused)
        rm_emit_note(c, 3, "%s", c->refused_text);
    set_node_refused_and_count(c, n, true);
    rm_node_update_gone_list(c, n);
    restart_refused_node_expiry(c, n);
    c->epoch_seen = seen > c->epoch_seen ? seen : c->epoch_seen;
    if (c->conf.format_confirmed) {
        rm_effect_add(c, RM_FX_EPOCH_LOW)->u.epoch_low.epoch_seen = c->epoch_seen;
    } else if (!c->apps_n && c->format == RM_FORMAT_NEW) {
        struct rm_effect *fx = rm_effect_add(c, RM_FX_UNCONFIRMED);

        fx->u.unconfirmed.text = rm_scratch_printf(c, "%s", c->refused_text);
        fx->u.unconfirmed.epoch_seen = c->epoch_seen;
    }
    rm_reply_error(c, ev->token, -BASE_ESTATE, "%s", c->refused_text);
    return true;
}

bool rm_confirm_refuse_submission_if_unconfirmed(struct rm_core *c, uint64_t token)
{
    if (!c->refused_n || c->apps_n)
        return false;
    rm_reply_error(c, token, -BASE_ESTATE, "%s", c->refused_text);
    return true;
}
