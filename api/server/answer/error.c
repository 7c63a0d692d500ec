/* Error answers. Source of the wording: recordings of YARN 3.4.2 in tests/interop/yarn. */
#include "api/server/answer/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/server/answer/wadl.h"
#include "api/server/request/lifecycle.h"
#include "api/server/server_internal.h"
#include "api/yarn/shape.h"
#include "base/io/json_write.h"
#include "base/io/log.h"

#define WARN_EVERY_MS 1000

static const struct {
    const char *name, *java_class;
} classes[] = {
    {"NotFoundException", "org.apache.hadoop.yarn.webapp.NotFoundException"},
    {"BadRequestException", "org.apache.hadoop.yarn.webapp.BadRequestException"},
    {"ForbiddenException", "org.apache.hadoop.yarn.webapp.ForbiddenException"},
    {"ConflictException", "org.apache.hadoop.yarn.webapp.ConflictException"},
    {"WebAppException", "org.apache.hadoop.yarn.webapp.WebAppException"},
    {"AuthorizationException", "org.apache.hadoop.security.authorize.AuthorizationException"},
    {"AccessControlException", "org.apache.hadoop.security.AccessControlException"},
    {"YarnException", "org.apache.hadoop.yarn.exceptions.YarnException"},
    {"YarnRuntimeException", "org.apache.hadoop.yarn.exceptions.YarnRuntimeException"},
    {"ApplicationNotFoundException",
     "org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException"},
    {"InvalidResourceRequestException",
     "org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException"},
    {"WebApplicationException", "javax.ws.rs.WebApplicationException"},
    {"QueryParamException", "com.sun.jersey.api.ParamException$QueryParamException"},
    {"IllegalArgumentException", "java.lang.IllegalArgumentException"},
    {"NumberFormatException", "java.lang.NumberFormatException"},
    {"UnsupportedOperationException", "java.lang.UnsupportedOperationException"},
    {"NullPointerException", "java.lang.NullPointerException"},
    {"UndeclaredThrowableException", "java.lang.reflect.UndeclaredThrowableException"},
    {"DateTimeParseException", "java.time.format.DateTimeParseException"},
    {"IOException", "java.io.IOException"},
    {"FileNotFoundException", "java.io.FileNotFoundException"},
    {"TimeoutException", "java.util.concurrent.TimeoutException"},
    {"StandbyException", "org.apache.hadoop.ipc.StandbyException"},
};

/* Appends the Java class of exception @name: that of YARN, or creel.NAME for any other exception.
 */
static void add_java_class(struct base_buf *out, const char *name)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strcmp(classes[i].name, name) == 0) {
            base_buf_adds(out, classes[i].java_class);
            return;
        }
    }
    base_buf_addf(out, "creel.%s", name);
}

/* Appends a RemoteException document in JSON or XML. @message NULL or empty: the member is left
 * out. */
static void encode_exception(struct base_buf *out, enum api_type type, const char *exception,
                             const char *message)
{
    if (type == API_XML) {
        base_buf_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" "
                           "standalone=\"yes\"?><RemoteException><exception>");
        base_buf_adds(out, exception);
        base_buf_adds(out, "</exception>");
        if (message && message[0]) {
            base_buf_adds(out, "<message>");
            api_xml_add_text(out, message);
            base_buf_adds(out, "</message>");
        }
        base_buf_adds(out, "<javaClassName>");
        add_java_class(out, exception);
        base_buf_adds(out, "</javaClassName></RemoteException>");
        return;
    }
    base_buf_addf(out, "{\"RemoteException\":{\"exception\":\"%s\"", exception);
    if (message && message[0]) {
        base_buf_adds(out, ",\"message\":");
        base_json_quote(out, message);
    }
    base_buf_adds(out, ",\"javaClassName\":\"");
    add_java_class(out, exception);
    base_buf_adds(out, "\"}}");
}

void api_answer_error(struct api_request *rq, unsigned status, const char *exception,
                      const char *fmt, ...)
{
    struct base_buf message = {0}, body = {0};
    enum api_type type = api_wanted_type(rq);
    va_list ap;

    va_start(ap, fmt);
    base_buf_vaddf(&message, fmt, ap);
    va_end(ap);
    encode_exception(&body, type, exception, message.data);
    if (rq->server->on_answer && !rq->refusal)
        rq->refusal = base_buf_take(&message);
    base_buf_free(&message);
    api_answer(rq, status, type, &body);
}

void api_answer_base_error(struct api_request *rq, const struct base_error *err)
{
    static const struct {
        int code;
        unsigned status;
        const char *exception;
    } map[] = {
        {-BASE_EINVAL, 400, "BadRequestException"},
        {-BASE_ENOTFOUND, 404, "NotFoundException"},
        {-BASE_EEXIST, 409, "ConflictException"},
        {-BASE_ELIMIT, 413, "LimitException"},
        {-BASE_ETOOLARGE, 413, "LimitException"},
        {-BASE_EPERM, 403, "ForbiddenException"},
        {-BASE_ESTATE, 409, "ConflictException"},
        {-BASE_ETIMEOUT, 503, "TimeoutException"},
        {-BASE_EVERSION, 503, "StaleEpochException"},
        {-BASE_EAGAIN, 503, "RetriableException"},
        {-BASE_EIO, 503, "IOException"},
        {-BASE_ENOSPC, 503, "IOException"},
    };

    for (size_t i = 0; i < sizeof map / sizeof map[0]; i++) {
        if (map[i].code == err->code) {
            api_answer_error(rq, map[i].status, map[i].exception, "%s", err->text);
            return;
        }
    }
    api_answer_error(rq, 503, "YarnRuntimeException", "%s", err->text);
}

/* The name of the servlet that serves REST and the pages, as the servlet engine shows it in its
 * pages: a class, and a number that has no meaning. */
#define WEB_SERVLET "org.apache.hadoop.http.WebServlet-00c4ee10"

static bool starts_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void hand_over_final_body(struct api_request *rq, unsigned status, enum api_type type,
                                 const char *content_type, bool page, struct base_buf *body)
{
    struct api_reply reply = {.kind = API_REPLY_BODY,
                              .status = status,
                              .type = type,
                              .content_type = content_type,
                              .page = page,
                              .final = true,
                              .close = page && status == 500,
                              .body = *body};

    api_request_hand_over_reply(rq, &reply);
}

/* Appends the servlet engine's error page with URI, STATUS, MESSAGE and SERVLET, as HTML or as
 * text. HTML leaves SERVLET out when @servlet is NULL; a text needs @servlet. */
static void add_error_page(struct base_buf *b, const char *path, unsigned status,
                           const char *reason, bool html, const char *servlet)
{
    if (!html) {
        base_buf_addf(b, "HTTP ERROR %u %s\nURI: %s\nSTATUS: %u\nMESSAGE: %s\nSERVLET: %s\n",
                      status, reason, path, status, reason, servlet);
        return;
    }
    base_buf_addf(b,
                  "<html>\n<head>\n<meta http-equiv=\"Content-Type\" "
                  "content=\"text/html;charset=ISO-8859-1\"/>\n"
                  "<title>Error %u ",
                  status);
    api_xml_add_text(b, reason);
    base_buf_addf(b, "</title>\n</head>\n<body><h2>HTTP ERROR %u ", status);
    api_xml_add_text(b, reason);
    base_buf_adds(b, "</h2>\n<table>\n<tr><th>URI:</th><td>");
    api_xml_add_text(b, path);
    base_buf_addf(b, "</td></tr>\n<tr><th>STATUS:</th><td>%u</td></tr>\n<tr><th>MESSAGE:</th><td>",
                  status);
    api_xml_add_text(b, reason);
    base_buf_adds(b, "</td></tr>\n");
    if (servlet)
        base_buf_addf(b, "<tr><th>SERVLET:</th><td>%s</td></tr>\n", servlet);
    base_buf_adds(b, "</table>\n\n</body>\n</html>\n");
}

void api_error_answer_servlet_engine_page(struct api_request *rq, unsigned status,
                                          const char *message)
{
    struct base_buf b = {0};

    add_error_page(&b, rq->uri.path, status, message, true, NULL);
    hand_over_final_body(rq, status, API_TEXT, "text/html;charset=iso-8859-1", true, &b);
}

void api_answer_html_error_page(struct api_request *rq, unsigned status, const char *message,
                                const char *servlet)
{
    struct base_buf b = {0};
    struct api_reply reply = {.kind = API_REPLY_BODY,
                              .status = status,
                              .type = API_TEXT,
                              .content_type = "text/html;charset=iso-8859-1",
                              .page = true,
                              .final = true,
                              .gate = true};

    add_error_page(&b, rq->uri.path, status, message, true, servlet);
    reply.body = b;
    api_request_hand_over_reply(rq, &reply);
}

void api_error_answer_not_found(struct api_request *rq)
{
    const char *path = rq->uri.path;
    struct base_buf b = {0};

    if (!starts_with(path, "/ws/") && !starts_with(path, "/cluster/") &&
        !starts_with(path, "/node/")) {
        api_error_answer_servlet_engine_page(rq, 404, "Not Found");
        return;
    }
    base_buf_adds(&b, "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN\" "
                      "\"http://www.w3.org/TR/html4/strict.dtd\">\n"
                      "<html>\n"
                      "  <meta http-equiv=\"Content-type\" content=\"text/html; charset=UTF-8\">\n"
                      "  <title>\n    Sorry, got error 404\n  </title>\n"
                      "  <h1>Sorry, got error 404</h1>\n  <p>There is nothing at <code>");
    api_xml_add_text(&b, path);
    base_buf_adds(&b, "</code>.</p>\n</html>\n");
    hand_over_final_body(rq, 404, API_TEXT, "text/html;charset=utf-8", false, &b);
}

void api_error_answer_unauthenticated(struct api_request *rq, const char *message)
{
    /* the servlet engine makes pages for these methods only */
    bool paged = rq->head || strcmp(rq->method, "GET") == 0 || strcmp(rq->method, "POST") == 0;
    struct api_reply reply = {.kind = API_REPLY_BODY,
                              .status = 401,
                              .type = API_TEXT,
                              .content_type = "",
                              .page = true,
                              .uncached = !paged,
                              .final = true};

    api_add_header(rq, "WWW-Authenticate", "PseudoAuth");
    api_add_header(rq, "Set-Cookie", "hadoop.auth=; Path=/; HttpOnly");
    if (paged && rq->accept == API_ACCEPT_JSON && rq->accept_named) {
        base_buf_adds(&reply.body, "{\n\"servlet\":\"" WEB_SERVLET "\",\n\"message\":");
        base_json_quote(&reply.body, message);
        base_buf_adds(&reply.body, ",\n\"url\":");
        base_json_quote(&reply.body, rq->uri.path);
        base_buf_adds(&reply.body, ",\n\"status\":\"401\"\n}");
        reply.content_type = "application/json";
    } else if (paged && (rq->accept == API_ACCEPT_JSON || rq->accept == API_ACCEPT_HTML)) {
        add_error_page(&reply.body, rq->uri.path, 401, message, true, WEB_SERVLET);
        reply.content_type = "text/html;charset=iso-8859-1";
    }
    api_request_hand_over_reply(rq, &reply);
}

/* Logs the reason of a refusal, at most one line a second; used when there is no audit log to show
 * the reason. */
static void warn_of_refusal(struct api_request *rq, const char *why)
{
    char others[64] = "";
    int64_t left_out;

    if (!base_log_limit_allows(&rq->server->refusal_warnings, api_mono_ms(), WARN_EVERY_MS,
                               &left_out))
        return;
    if (left_out)
        snprintf(others, sizeof others, " (and %lld other refusals since the last line)",
                 (long long)left_out);
    base_log_warn("http", "%s %.200s from %s is refused: %s%s", rq->method, rq->uri.path, rq->peer,
                  why, others);
}

void api_error_note_refusal(struct api_request *rq, const char *why)
{
    if (!rq->server->on_answer) {
        warn_of_refusal(rq, why);
        return;
    }
    free(rq->refusal);
    rq->refusal = base_strdup(why);
}

/* A person, rather than a program that has no wishes (Accept: any type). */
static bool wants_page(const struct api_request *rq)
{
    const char *accept = api_header(rq, "Accept");

    return strcmp(rq->method, "GET") == 0 && accept && strstr(accept, "text/html");
}

void api_error_answer_proof_needed(struct api_request *rq, const char *message)
{
    const struct api_server *s = rq->server;

    api_add_header(rq, "WWW-Authenticate", "Bearer");
    /* last, since clients in Java look at the last of them */
    if (s->method == API_AUTH_SPNEGO)
        api_add_header(rq, "WWW-Authenticate", "Negotiate");
    if (s->answer_login_needed && wants_page(rq))
        s->answer_login_needed(rq, s->user);
    else
        api_answer_error(rq, 401, "AuthorizationException", "%s", message);
}

void api_error_answer_may_not_act_as(struct api_request *rq, const char *as)
{
    struct base_buf text = {0};
    struct api_reply reply = {.kind = API_REPLY_BODY,
                              .status = 403,
                              .type = API_TEXT,
                              .content_type = "application/json",
                              .gate = true,
                              .final = true};

    base_buf_addf(&text, "User: %s is not allowed to impersonate %s", rq->caller, as);
    base_buf_adds(&reply.body, "{\n  \"RemoteException\" : {\n    \"message\" : ");
    base_json_quote(&reply.body, text.data);
    base_buf_adds(&reply.body,
                  ",\n    \"exception\" : \"AuthorizationException\",\n    \"javaClassName\" : "
                  "\"org.apache.hadoop.security.authorize.AuthorizationException\"\n  }\n}");
    base_buf_free(&text);
    api_request_hand_over_reply(rq, &reply);
}

/* Adds the header Allow with the methods that the matched path serves. */
static void add_allow_header(struct api_request *rq, const char *separator)
{
    struct base_buf b = {0};

    base_buf_adds(&b, "OPTIONS");
    if (rq->match.by_method[API_M_GET])
        base_buf_addf(&b, "%sHEAD", separator);
    for (int i = 0; i < API_M_COUNT; i++)
        if (rq->match.by_method[api_wadl_methods[i]])
            base_buf_addf(&b, "%s%s", separator, rq->match.by_method[api_wadl_methods[i]]->method);
    api_add_header(rq, "Allow", b.data);
    base_buf_free(&b);
}

void api_answer_empty_page(struct api_request *rq, unsigned status)
{
    struct api_reply reply = {.kind = API_REPLY_BODY,
                              .status = status,
                              .type = API_TEXT,
                              .content_type = "",
                              .page = true,
                              .uncached = true,
                              .final = true};

    api_request_hand_over_reply(rq, &reply);
}

/* Answers like the servlet engine, which sends no page for TRACE. */
static void answer_wrong_servlet_method(struct api_request *rq)
{
    struct base_buf message = {0};

    if (strcmp(rq->method, "TRACE") == 0) {
        api_answer_empty_page(rq, 405);
        return;
    }
    base_buf_addf(&message, "HTTP method %s is not supported by this URL", rq->method);
    api_answer_html_error_page(rq, 405, message.data, rq->uri.path + 1);
    base_buf_free(&message);
}

/* YARN's ResourceManager sends the charset "null", its NodeManager none. */
void api_error_answer_wrong_method(struct api_request *rq)
{
    bool json = rq->accept == API_ACCEPT_JSON && rq->accept_named;
    bool node = starts_with(rq->uri.path, "/ws/v1/node/");
    struct base_buf b = {0};
    const char *type;

    if (api_match_has_flag(&rq->match, API_ROUTE_CREEL)) {
        add_allow_header(rq, ", ");
        api_answer_error(rq, 405, "MethodNotAllowedException", "%s does not serve %s", rq->uri.path,
                         rq->method);
        return;
    }
    if (api_match_has_flag(&rq->match, API_ROUTE_SERVLET)) {
        answer_wrong_servlet_method(rq);
        return;
    }
    if (json)
        type = node ? "application/json" : "application/json;charset=null";
    else if (rq->accept == API_ACCEPT_TEXT_XML)
        type = node ? "text/xml" : "text/xml;charset=null";
    else
        type = node ? "application/xml" : "application/xml;charset=null";
    encode_exception(&b, json ? API_JSON : API_XML, "WebApplicationException", NULL);
    hand_over_final_body(rq, 503, json ? API_JSON : API_XML, type, false, &b);
}

/* Returns the name of the Java class into which YARN reads the body of a route: its error message
 * names the class. */
static const char *get_java_body_class(const char *path)
{
    static const struct {
        const char *end, *name;
    } map[] = {
        {"/apps", "ApplicationSubmissionContextInfo"},
        {"/state", "AppState"},
        {"/queue", "AppQueue"},
        {"/priority", "AppPriority"},
        {"/timeout", "AppTimeoutInfo"},
        {"/resource", "ResourceOptionInfo"},
        {"/delegation-token", "DelegationToken"},
        {"/reservation/submit", "ReservationSubmissionRequestInfo"},
        {"/reservation/update", "ReservationUpdateRequestInfo"},
        {"/reservation/delete", "ReservationDeleteRequestInfo"},
        {"/add-node-labels", "NodeLabelsInfo"},
        {"/replace-node-to-labels", "NodeToLabelsEntryList"},
    };
    size_t len = strlen(path);

    for (size_t i = 0; i < sizeof map / sizeof map[0]; i++) {
        size_t n = strlen(map[i].end);

        if (len >= n && strcmp(path + len - n, map[i].end) == 0)
            return map[i].name;
    }
    return "ApplicationSubmissionContextInfo";
}

void api_error_answer_no_content_type(struct api_request *rq)
{
    const char *name = get_java_body_class(rq->route->path);

    api_answer_error(
        rq, 503, "WebApplicationException",
        "com.sun.jersey.api.MessageException: A message body reader for Java class "
        "org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.%s, and Java type class "
        "org.apache.hadoop.yarn.server.resourcemanager.webapp.dao.%s, and MIME media type "
        "application/octet-stream was not found.\n",
        name, name);
}

void api_error_answer_options(struct api_request *rq)
{
    struct base_buf b = {0};

    if (strcmp(rq->uri.path, "*") == 0) {
        api_add_header(rq, "Allow", "GET,HEAD,POST,OPTIONS");
        api_answer_from_gate(rq, 200, &b); /* as from a gate: without Vary */
        return;
    }
    if (!rq->match.by_method) {
        api_add_header(rq, "Allow", "GET, POST");
    } else {
        add_allow_header(rq, ",");
        if (!api_match_has_flag(&rq->match, API_ROUTE_CREEL | API_ROUTE_SERVLET)) {
            bool node = starts_with(rq->uri.path, "/ws/v1/node/");

            api_wadl_add_document(rq, &b);
            api_add_header(rq, "Last-Modified", api_wadl_get_last_modified());
            hand_over_final_body(rq, 200, API_XML,
                                 node ? "application/vnd.sun.wadl+xml"
                                      : "application/vnd.sun.wadl+xml;charset=utf-8",
                                 false, &b);
            return;
        }
    }
    hand_over_final_body(rq, 200, API_TEXT, NULL, false, &b);
}

/* Returns 503 for text/xml, as YARN does; otherwise 406 or 400, where YARN answers 500 although the
 * mistake is the client's. */
unsigned api_error_get_unacceptable_status(const struct api_request *rq)
{
    switch (rq->accept) {
    case API_ACCEPT_TEXT_XML:
        return 503;
    case API_ACCEPT_BAD:
        return 400;
    default:
        return 406;
    }
}

bool api_error_replace_unacceptable_reply(struct api_request *rq, struct api_reply *reply)
{
    unsigned status = api_error_get_unacceptable_status(rq);
    bool page = true;

    bool body = reply->kind == API_REPLY_BODY || reply->kind == API_REPLY_PIECES;

    if (!body || reply->type > API_XML || rq->accept <= API_ACCEPT_XML || !rq->route ||
        (rq->route->flags & (API_ROUTE_CREEL | API_ROUTE_SERVLET)))
        return false;
    base_buf_free(&reply->body);
    api_pieces_free(reply->pieces);
    reply->pieces = NULL;
    reply->kind = API_REPLY_BODY;
    if (rq->accept == API_ACCEPT_TEXT_XML) {
        page = false;
        encode_exception(&reply->body, API_XML, "WebApplicationException", NULL);
        reply->content_type = "text/xml;charset=null";
    } else if (rq->accept == API_ACCEPT_BAD) {
        reply->content_type = "";
    } else {
        bool html = rq->accept == API_ACCEPT_HTML;

        add_error_page(&reply->body, rq->uri.path, status,
                       "Not Acceptable: expected application/json or application/xml", html,
                       WEB_SERVLET);
        reply->content_type =
            html ? "text/html;charset=iso-8859-1" : "text/plain;charset=iso-8859-1";
    }
    reply->status = status;
    reply->type = API_XML;
    reply->page = page;
    return true;
}
