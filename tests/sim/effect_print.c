#include "tests/sim/effect_print.h"

#include <inttypes.h>

static const char *text_or_dash(const char *s)
{
    return s ? s : "-";
}

static void print_container(const struct base_container_id *id, struct base_buf *out)
{
    char buf[BASE_ID_TEXT_MAX];

    base_buf_addf(out, " %s", base_container_id_text(id, buf));
}

static void print_app(const struct base_app_id *id, struct base_buf *out)
{
    char buf[BASE_ID_TEXT_MAX];

    base_buf_addf(out, " %s", base_app_id_text(id, buf));
}

static void print_res(const struct rm_res *r, struct base_buf *out)
{
    base_buf_addf(out, " <%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ">", r->v[0], r->v[1],
                  r->v[2], r->v[3]);
}

static void print_order(const struct rm_order *o, struct base_buf *out)
{
    static const char *const names[] = {"launch", "kill",        "suspend", "resume",  "signal",
                                        "forget", "cleanup-app", "resync",  "shutdown"};
    char buf[BASE_ID_TEXT_MAX];

    base_buf_addf(out, "  %s", names[o->kind]);
    if (o->kind <= BASE_ORDER_FORGET)
        print_container(&o->container, out);
    print_app(&o->app, out);
    if (o->kind == BASE_ORDER_KILL)
        base_buf_addf(out, " %s %" PRId64, text_or_dash(o->reason), o->grace_ms);
    if (o->kind == BASE_ORDER_LAUNCH) {
        base_buf_addf(out, " %s user %s name %s token %s priority %d",
                      o->slot == BASE_TASK_MAP ? "map" : "reduce", text_or_dash(o->user),
                      text_or_dash(o->name), text_or_dash(o->token), o->priority);
        print_res(&o->resource, out);
        if (o->job)
            base_buf_addf(out, " task %s attempt %d", base_task_id_text(&o->task, buf),
                          o->task_attempt);
        base_buf_addf(out, "%s%s", o->master ? " master" : "", o->launch ? " with launch" : "");
    }
    base_buf_adds(out, "\n");
}

static void print_allocated(const struct rm_allocated *v, size_t n, const char *what,
                            struct base_buf *out)
{
    for (size_t i = 0; i < n; i++) {
        base_buf_addf(out, "  %s", what);
        print_container(&v[i].id, out);
        base_buf_addf(out, " %s %s %d %" PRId64, text_or_dash(v[i].node_id),
                      text_or_dash(v[i].node_http), v[i].priority, v[i].allocation_request_id);
        print_res(&v[i].capability, out);
        base_buf_adds(out, "\n");
    }
}

static void print_reply(const struct rm_effect *fx, struct base_buf *out)
{
    static const char *const names[] = {[RM_REPLY_ERROR] = "error",
                                        [RM_REPLY_OK] = "ok",
                                        [RM_REPLY_APP_ID] = "app-id",
                                        [RM_REPLY_JOB] = "job",
                                        [RM_REPLY_APP] = "app",
                                        [RM_REPLY_KILL] = "kill",
                                        [RM_REPLY_FLAG] = "flag",
                                        [RM_REPLY_SPLITS] = "splits",
                                        [RM_REPLY_NODE_REGISTERED] = "registered",
                                        [RM_REPLY_AM_REGISTERED] = "am-registered",
                                        [RM_REPLY_ALLOCATED] = "allocated",
                                        [RM_REPLY_RESYNC] = "resync",
                                        [RM_REPLY_AM_FINISHED] = "am-finished"};

    base_buf_addf(out, "reply %" PRIu64 " after %" PRIu64 " %s %d %s flag %d state %s", fx->token,
                  fx->after_seq, names[fx->u.reply.kind], fx->u.reply.code,
                  text_or_dash(fx->u.reply.text), fx->u.reply.flag,
                  rm_app_state_name(fx->u.reply.app_state));
    print_app(&fx->u.reply.app_id, out);
    base_buf_adds(out, "\n");
    if (fx->u.reply.kind == RM_REPLY_AM_REGISTERED)
        print_allocated(fx->u.reply.am.previous, fx->u.reply.am.previous_n, "previous", out);
    if (fx->u.reply.kind != RM_REPLY_ALLOCATED)
        return;
    base_buf_addf(out, "  response %" PRId64 " nodes %d command %s",
                  fx->u.reply.allocate.response_id, fx->u.reply.allocate.nodes,
                  text_or_dash(fx->u.reply.allocate.command));
    print_res(&fx->u.reply.allocate.available, out);
    base_buf_adds(out, "\n");
    print_allocated(fx->u.reply.allocate.allocated, fx->u.reply.allocate.allocated_n, "allocated",
                    out);
    for (size_t i = 0; i < fx->u.reply.allocate.completed_n; i++) {
        base_buf_adds(out, "  completed");
        print_container(&fx->u.reply.allocate.completed[i].id, out);
        base_buf_addf(out, " %d %s\n", fx->u.reply.allocate.completed[i].exit_status,
                      text_or_dash(fx->u.reply.allocate.completed[i].diagnostics));
    }
}

static void print_heartbeat(const struct rm_effect *fx, struct base_buf *out)
{
    base_buf_addf(out,
                  "heartbeat %" PRIu64 " after %" PRIu64 " epoch %" PRId64 " instance %" PRId64
                  " ts %" PRId64 " response %" PRId64 " interval %" PRId64 "%s\n",
                  fx->token, fx->after_seq, fx->u.heartbeat.epoch, fx->u.heartbeat.rm_instance_ms,
                  fx->u.heartbeat.cluster_ts_ms, fx->u.heartbeat.response_id,
                  fx->u.heartbeat.interval_us, fx->u.heartbeat.registered ? " registered" : "");
    for (size_t i = 0; i < fx->u.heartbeat.orders_n; i++)
        print_order(&fx->u.heartbeat.orders[i], out);
}

void effect_print(const struct rm_effect *fx, struct base_buf *out)
{
    switch (fx->kind) {
    case RM_FX_REPLY:
        print_reply(fx, out);
        break;
    case RM_FX_STORE:
        base_buf_addf(out, "store %" PRIu64 " %s %s ", fx->u.store.seq, fx->u.store.record.table,
                      fx->u.store.record.key);
        if (fx->u.store.record.data)
            base_buf_add(out, fx->u.store.record.data, fx->u.store.record.len);
        else
            base_buf_adds(out, "(removed)");
        base_buf_adds(out, "\n");
        break;
    case RM_FX_HEARTBEAT:
        print_heartbeat(fx, out);
        break;
    case RM_FX_WAKE:
        base_buf_addf(out, "wake %" PRId64 "\n", fx->u.wake.at_us);
        break;
    case RM_FX_JOB_SETUP:
    case RM_FX_JOB_COMMIT:
    case RM_FX_JOB_ABORT:
        base_buf_adds(out, fx->kind == RM_FX_JOB_SETUP    ? "setup"
                           : fx->kind == RM_FX_JOB_COMMIT ? "commit"
                                                          : "abort");
        print_app(&fx->u.job.id, out);
        base_buf_addf(out, " after %" PRIu64 "%s", fx->after_seq, "");
        for (size_t i = 0; i < fx->u.job.attempts_n; i++)
            base_buf_addf(out, " %" PRId32, fx->u.job.attempts[i]);
        base_buf_adds(out, "\n");
        break;
    case RM_FX_MAP_OUTPUT:
        base_buf_adds(out, "map-output");
        print_app(&fx->u.map_output.id, out);
        base_buf_addf(out, " %" PRId64 "\n", fx->u.map_output.version);
        break;
    case RM_FX_NOTE:
        base_buf_addf(out, "note %d %s\n", fx->u.note.level, fx->u.note.text);
        break;
    case RM_FX_UNCONFIRMED:
        base_buf_addf(out, "unconfirmed %" PRId64 " %s\n", fx->u.unconfirmed.epoch_seen,
                      fx->u.unconfirmed.text);
        break;
    case RM_FX_EPOCH_LOW:
        base_buf_addf(out, "epoch-low %" PRId64 "\n", fx->u.epoch_low.epoch_seen);
        break;
    case RM_FX_APP_ENDED:
        base_buf_adds(out, "ended");
        print_app(&fx->u.ended.id, out);
        base_buf_addf(out, " %s %s\n", rm_app_state_name(fx->u.ended.state),
                      rm_final_status_name(fx->u.ended.final_status));
        break;
    case RM_FX_HISTORY:
        base_buf_adds(out, "history");
        print_app(&fx->u.history.id, out);
        base_buf_adds(out, "\n");
        break;
    }
}
