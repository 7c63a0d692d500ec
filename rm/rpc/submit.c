/* rm/rpc/submit.c - submissions of applications. A client whose answer was lost sends its
 * submission again: an id that is known is accepted without effect, and before its resource is
 * looked at, since the nodes may be others by then.
 * SOURCE: Hadoop's ClientRMService.submitApplication and RMAppManager. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "api/rpc/arena.h"
#include "base/crypto/random.h"
#include "rm/config/allocation_file.h"
#include "rm/http/app_json.h"
#include "rm/rpc/client.h"
#include "rm/rpc/submission.h"

#define OPERATION        "submit-app"
#define JAVA_LANG        "java.lang."
#define ILLEGAL_ARGUMENT JAVA_LANG "IllegalArgumentException"
#define INVALID_RESOURCE RM_RPC_YARN_EXCEPTIONS "InvalidResourceRequestException"
#define HEX_TOKEN_MAX    33

/* Answers that the submission is refused, and enters that in the audit log. */
static void refuse(struct api_rpc_call *call, const struct base_app_id *id, const char *exception,
                   const char *why)
{
    char app[BASE_ID_TEXT_MAX];

    api_audit_log_call(OPERATION, api_rpc_caller(call), api_rpc_peer(call),
                       base_app_id_text(id, app), why);
    api_rpc_answer_error(call, exception, "%s", why);
}

/* Refuses what the decoder has refused, with the class that YARN throws. REST's text has one class
 * in front, where YARN's REST server shows it. */
static void refuse_undecodable(struct api_rpc_call *call, const struct base_app_id *id, int rc,
                               const char *why)
{
    size_t n = strlen(ILLEGAL_ARGUMENT ": ");

    if (strncmp(why, ILLEGAL_ARGUMENT ": ", n) == 0)
        refuse(call, id, ILLEGAL_ARGUMENT, why + n);
    else
        refuse(call, id,
               rc == -BASE_ESTATE ? JAVA_LANG "NullPointerException" : RM_RPC_YARN_EXCEPTION, why);
}

/* Decodes the submission, or refuses it and returns NULL. */
static struct rm_app_spec *decode_or_refuse(struct api_rpc_call *call, const struct base_app_id *id,
                                            const Yarn__Submission *s)
{
    struct rm_app_spec *spec = NULL;
    struct base_error err = {0};
    json_t *body = NULL;
    int rc = rm_rpc_submission_to_json(s, &body, &err);

    if (rc == -BASE_ENOTFOUND) {
        refuse(call, id, INVALID_RESOURCE, err.text);
        return NULL;
    }
    if (rc == 0)
        rc = rm_app_spec_decode(body, api_rpc_caller(call), &spec, &err);
    json_decref(body);
    if (rc == 0)
        return spec;
    refuse_undecodable(call, id, rc, err.text);
    return NULL;
}

/* Returns true after refusing a new application whose master no node can hold. */
static bool refuse_unless_resource_fits(struct api_rpc_call *call, struct rm_backend *b,
                                        const struct rm_app_spec *spec)
{
    struct rm_cluster_view cluster;
    struct base_error err = {0};
    struct rm_views v = {0};
    const struct rm_core *core = rm_backend_lock_core(b);
    bool known = rm_view_app(core, spec->id, &v) == 0;

    rm_view_cluster(core, &cluster);
    rm_backend_unlock_core(b);
    rm_views_free(&v);
    if (known || rm_app_spec_check_resource(spec, &cluster.max_capability, &err) == 0)
        return false;
    refuse(call, &spec->id, INVALID_RESOURCE, err.text);
    return true;
}

static void answer_submission(struct rm_rpc_change *c, const struct rm_effect *fx)
{
    Yarn__Empty none = YARN__EMPTY__INIT;

    (void)fx;
    api_rpc_answer(c->call, &none.base);
}

static struct rm_rpc_change *change_new(struct api_rpc_call *call, struct rm_backend *b,
                                        struct rm_app_spec *spec)
{
    struct rm_rpc_change *c = rm_rpc_change_new(call, b, RM_EV_SUBMIT_APP, OPERATION);

    c->text = base_alloc(HEX_TOKEN_MAX);
    base_random_hex(c->text);
    api_audit_append_member(&c->members, "name", spec->name);
    api_audit_append_member(&c->members, "queue", spec->queue);
    c->ev.u.submit_app.spec = spec;
    c->ev.u.submit_app.app_token = c->text;
    return c;
}

/* Runs on the thread for slow work, since looking up groups may wait for a name service. Returns
 * false: the work is done. */
static bool look_up_groups_and_submit(void *change, bool stopping)
{
    struct rm_rpc_change *c = change;
    struct rm_app_spec *spec = c->ev.u.submit_app.spec;
    struct base_app_id id = spec->id;

    if (!stopping)
        rm_queues_look_up_groups_if_needed(c->b, spec->queue, spec->user, &spec->user_groups);
    rm_rpc_change_post(c, &id, answer_submission);
    return false;
}

/* Posts the submission, or answers that the client should come again when too many look-ups of its
 * address are under way. Takes @spec. */
static void post_submission(struct api_rpc_call *call, struct rm_backend *b,
                            struct rm_app_spec *spec)
{
    bool needs_groups = rm_queues_submission_needs_groups(b, spec->queue, spec->user);
    struct base_app_id id = spec->id;
    struct rm_rpc_change *c;

    if (needs_groups && !api_rpc_begin_slow(call)) {
        rm_app_spec_unref(spec);
        return;
    }
    c = change_new(call, b, spec);
    if (needs_groups)
        rm_backend_queue_slow_task(b, RM_SLOW_FILES, look_up_groups_and_submit, c);
    else
        rm_rpc_change_post(c, &id, answer_submission);
}

/* Returns the application that is submitted; NULL after refusing it. */
static struct rm_app_spec *take_submission(struct api_rpc_call *call, struct rm_backend *b,
                                           const Yarn__Submission *s)
{
    struct rm_app_spec *spec;
    struct base_app_id id;

    if (!s || !rm_rpc_get_app_id(s->id, &id)) {
        rm_rpc_answer_no_id(call);
        return NULL;
    }
    spec = decode_or_refuse(call, &id, s);
    if (spec && refuse_unless_resource_fits(call, b, spec)) {
        rm_app_spec_unref(spec);
        return NULL;
    }
    return spec;
}

/* ---- large submissions: to make their JSON takes seconds at worst, when each byte has to be
 * escaped in it, and the port's thread serves all connections ---- */

#define LARGE_BYTES (64 << 10) /* which take a millisecond or two, and 16 at worst */

/* Bytes of the large submissions that wait; further ones are to come again, so that those that wait
 * do not fill the memory of all ports (creel.rpc.memory-mb). */
#define WAITING_BYTES_MAX (32 << 20)
static _Atomic size_t waiting_bytes;

struct large_submission {
    struct api_rpc_call *call;
    struct rm_backend *b;
    struct base_buf request; /* the whole message, as the port's memory has it no longer */
};

static void decode_and_post(struct large_submission *l)
{
    struct api_rpc_arena arena;
    const Yarn__SubmitRequest *request;
    struct rm_app_spec *spec = NULL;

    api_rpc_arena_init(&arena, api_rpc_arena_room(l->request.len));
    request = (const Yarn__SubmitRequest *)api_rpc_decode(&yarn__submit_request__descriptor,
                                                          l->request.data, l->request.len, &arena);
    if (request)
        spec = take_submission(l->call, l->b, request->submission);
    else
        api_rpc_answer_error(l->call, RM_RPC_YARN_EXCEPTION, "the submission is malformed");
    api_rpc_arena_free(&arena);
    if (spec)
        look_up_groups_and_submit(change_new(l->call, l->b, spec), false);
}

/* Runs on the thread for slow work. Returns false: the work is done. */
static bool take_large_submission(void *large, bool stopping)
{
    struct large_submission *l = large;

    if (stopping)
        api_rpc_answer_error(l->call, RM_RPC_STANDBY, "the ResourceManager is stopping");
    else
        decode_and_post(l);
    atomic_fetch_sub(&waiting_bytes, l->request.len);
    explicit_bzero(l->request.data, l->request.len); /* there may be credentials in it */
    base_buf_free(&l->request);
    free(l);
    return false;
}

static void queue_large_submission(struct api_rpc_call *call, struct rm_backend *b,
                                   const ProtobufCMessage *request, size_t bytes)
{
    struct large_submission *l;

    if (atomic_fetch_add(&waiting_bytes, bytes) + bytes > WAITING_BYTES_MAX) {
        atomic_fetch_sub(&waiting_bytes, bytes);
        api_rpc_answer_error(call, API_RPC_COME_AGAIN, "too many large submissions wait");
        return;
    }
    if (!api_rpc_begin_slow(call)) {
        atomic_fetch_sub(&waiting_bytes, bytes);
        return;
    }
    l = base_alloc(sizeof *l);
    l->call = call;
    l->b = b;
    base_buf_reserve(&l->request, bytes);
    l->request.len = protobuf_c_message_pack(request, (uint8_t *)l->request.data);
    rm_backend_queue_slow_task(b, RM_SLOW_SUBMISSIONS, take_large_submission, l);
}

void rm_rpc_submit_app(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    size_t bytes = protobuf_c_message_get_packed_size(request);
    struct rm_app_spec *spec;

    if (bytes > LARGE_BYTES) {
        queue_large_submission(call, user, request, bytes);
        return;
    }
    spec = take_submission(call, user, ((const Yarn__SubmitRequest *)request)->submission);
    if (spec)
        post_submission(call, user, spec);
}
