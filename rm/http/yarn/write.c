#include "rm/http/yarn/write.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/audit/audit.h"
#include "api/yarn/xml_body.h"
#include "rm/leader/standby.h"

struct yarn_write *yarn_write_new(struct api_request *rq, enum rm_event_kind kind)
{
    struct yarn_write *w = base_alloc(sizeof *w);

    atomic_init(&w->refs, 2);
    w->rq = rq;
    w->caller = base_strdup(api_caller(rq));
    w->ev.kind = kind;
    w->ev.caller = w->caller;
    return w;
}

void yarn_write_unref(void *write)
{
    struct yarn_write *w = write;

    if (atomic_fetch_sub(&w->refs, 1) != 1)
        return;
    yarn_context_free(&w->frame);
    free(w->caller);
    free(w->text);
    free(w->location);
    free(w->queue);
    free(w);
}

void yarn_write_post(struct yarn_write *w, struct rm_backend *b, rm_reply_fn *fn)
{
    api_park(w->rq); /* the reply may come at any time from now on, on another thread */
    rm_backend_post(b, &w->ev, fn, yarn_write_unref, w);
}

char *yarn_format_location(struct api_request *rq, struct rm_backend *b, const char *slash,
                           const char *suffix)
{
    const char *host = api_header(rq, "Host");

    if (host && host[0])
        return base_printf("%s%s%s%s%s", api_scheme(rq), host, api_path(rq), slash, suffix);
    return base_printf("%s%s%s%s", rm_backend_url(b), api_path(rq), slash, suffix);
}

void yarn_answer_refusal(struct api_request *rq, const struct rm_effect *fx)
{
    switch (fx->u.reply.code) {
    case -BASE_EINVAL:
    case -BASE_ELIMIT:
    case -BASE_EEXIST:
    case -BASE_ESTATE:
        yarn_bad_request(rq, "%s", fx->u.reply.text);
        break;
    case -BASE_ETOOLARGE:
        api_answer_error(rq, 413, "LimitException", "java.lang.Exception: %s", fx->u.reply.text);
        break;
    case -BASE_ENOTFOUND:
        yarn_not_found(rq, "%s", fx->u.reply.text);
        break;
    case -BASE_EPERM:
        api_answer_error(rq, 403, "ForbiddenException", "java.lang.Exception: %s",
                         fx->u.reply.text);
        break;
    case -BASE_EVERSION:
        rm_standby_answer_leadership_over(rq, api_server_user_data(rq), fx->u.reply.text);
        break;
    default:
        api_answer_error(rq, 503, "YarnRuntimeException", "%s", fx->u.reply.text);
    }
}

bool yarn_is_error_reply(const struct rm_effect *fx)
{
    return fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_ERROR;
}

static bool body_is_xml(struct api_request *rq)
{
    const char *type = api_header(rq, "Content-Type");

    return type && strncasecmp(type, "application/xml", strlen("application/xml")) == 0;
}

static json_t *answer_bad_body_if_any(struct api_request *rq, int rc, json_t *body,
                                      const struct base_error *err)
{
    if (rc < 0)
        api_answer_error(rq, 400, "WebApplicationException", "%s", err->text);
    return rc < 0 ? NULL : body;
}

json_t *yarn_read_body(struct api_request *rq, const char *root, const char *roots)
{
    struct base_error err = {0};
    json_t *body = NULL;
    size_t len;
    const char *text = api_body(rq, &len);
    int rc = body_is_xml(rq) ? api_xml_body_parse(text, len, root, roots, &body, &err)
                             : api_json_body_parse(text, len, &body, &err);

    return answer_bad_body_if_any(rq, rc, body, &err);
}

json_t *yarn_read_wrapped_body(struct api_request *rq, const char *root, const char *roots)
{
    struct base_error err = {0};
    json_t *body = NULL;
    size_t len;
    const char *text = api_body(rq, &len);
    int rc = body_is_xml(rq) ? api_xml_body_parse(text, len, root, roots, &body, &err)
                             : api_wrapped_json_body_parse(text, len, root, roots, &body, &err);

    return answer_bad_body_if_any(rq, rc, body, &err);
}

void yarn_answer_text(struct api_request *rq, unsigned status, const char *fmt, ...)
{
    struct base_buf body = {0};
    va_list ap;

    va_start(ap, fmt);
    base_buf_vaddf(&body, fmt, ap);
    va_end(ap);
    api_answer(rq, status, api_wanted_type(rq), &body);
}

void yarn_answer_undeclared_throwable(struct api_request *rq, const char *why)
{
    api_audit_mark_refused(rq, why);
    api_add_header(rq, "X-Creel-Reason", why);
    api_answer_error(rq, 503, "UndeclaredThrowableException", "%s", "");
}
