#include "rm/http/core_call.h"

#include <stdlib.h>
#include <string.h>

#include "base/io/io.h"
#include "rm/http/access/container_token.h"
#include "rm/leader/standby.h"

static void unref_call(void *user)
{
    rm_call_unref(user);
}

void rm_call_post(struct rm_call *c, struct rm_backend *b, struct api_request *rq, rm_reply_fn *fn)
{
    c->b = b;
    c->rq = rq;
    api_park(rq);
    rm_call_post_parked(c, fn);
}

void rm_call_post_parked(struct rm_call *c, rm_reply_fn *fn)
{
    atomic_init(&c->refs, 2);
    rm_backend_post(c->b, &c->ev, fn, unref_call, c);
}

void rm_call_unref(struct rm_call *c)
{
    if (atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (c->drop)
        c->drop(c);
    free(c);
}

void rm_api_answer_core_error(struct api_request *rq, const struct rm_effect *fx)
{
    struct base_error err = {0};

    if (fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_ERROR)
        base_error_set(&err, fx->u.reply.code, "%s",
                       fx->u.reply.text ? fx->u.reply.text : "refused");
    else
        base_error_set(&err, -BASE_EIO, "unexpected reply of the core");
    if (err.code == -BASE_EVERSION)
        rm_standby_answer_leadership_over(rq, api_server_user_data(rq), err.text);
    else
        api_answer_base_error(rq, &err);
}

void rm_api_answer_bad_request(struct api_request *rq, const struct base_error *err)
{
    api_answer_error(rq, 400, "BadRequestException", "%s", err->text);
}

void rm_api_answer_json(struct api_request *rq, unsigned status, struct base_buf *body)
{
    api_answer(rq, status, API_JSON, body);
}

void rm_api_answer_no_content(struct api_request *rq)
{
    struct base_buf none = {0};

    api_answer(rq, 204, API_JSON, &none);
}

bool rm_api_read_app_id(struct api_request *rq, unsigned i, struct base_app_id *out)
{
    struct base_error err = {0};
    const char *text = api_path_arg(rq, i);

    if (base_app_id_parse(text ? text : "", out, &err) == 0)
        return true;
    rm_api_answer_bad_request(rq, &err);
    return false;
}

bool rm_api_check_token_of_app_container(struct api_request *rq, struct rm_backend *b,
                                         struct base_app_id id)
{
    struct base_container_id container;
    char text[BASE_ID_TEXT_MAX];

    if (!rm_container_token_read(rq, b, &container)) {
        api_answer_error(rq, 403, "ForbiddenException",
                         "the token is not the one of a container that runs");
        return false;
    }
    if (base_app_id_cmp(&container.attempt.app, &id) == 0)
        return true;
    api_answer_error(rq, 403, "ForbiddenException", "the token is not of a container of %s",
                     base_app_id_text(&id, text));
    return false;
}

void rm_api_explain_wait(struct rm_backend *b, struct base_app_id id, struct base_buf *out)
{
    /* an unknown application (-BASE_ENOTFOUND) has no explanation */
    rm_view_explain_wait(rm_backend_lock_core(b), id, rm_backend_now_us(b), out);
    rm_backend_unlock_core(b);
}

bool rm_api_read_query_int(struct api_request *rq, const char *name, int64_t min, int64_t max,
                           int64_t *out)
{
    const char *text = api_query(rq, name);

    if (!text || base_int_parse(text, min, max, out) == 0)
        return true;
    api_answer_error(rq, 400, "BadRequestException",
                     "%s: \"%.100s\" is not an integer from %lld to %lld", name, text,
                     (long long)min, (long long)max);
    return false;
}
