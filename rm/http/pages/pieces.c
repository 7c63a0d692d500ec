/* rm/http/pages/pieces.c - the pieces of the ResourceManager's pages. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "api/pages/login.h"
#include "base/clock.h"
#include "base/conf/http_address.h"
#include "base/conf/percent.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"
#include "rm/http/pages/pages.h"

static const struct api_page_link links[] = {
    {"/cluster/apps", "Applications"},   {"/cluster/nodes", "Nodes"},
    {"/cluster/scheduler", "Scheduler"}, {"/cluster/nodelabels", "Labels"},
    {"/cluster/cluster", "About"},       {API_LOGIN_PATH, "Log in"},
};
const struct api_page_site rm_site = {"ResourceManager", links, sizeof links / sizeof *links};

void rm_page_answer_missing(struct api_request *rq, const char *title, const char *text)
{
    api_page_answer_text(rq, 200, &rm_site, title, text);
}

/* SOURCE: the words of YARN's AppBlock. */
bool rm_page_refuse_app_unless_visible(const struct rm_page *p, struct base_app_id id)
{
    char text[BASE_ID_TEXT_MAX], *why;

    if (rm_access_sees_app_id(p->rq, p->b, id))
        return false;
    why = base_printf("You (User %s) are not authorized to view application %s",
                      api_caller(p->rq) ? api_caller(p->rq) : "", base_app_id_text(&id, text));
    api_audit_mark_forbidden(p->rq, why);
    rm_page_answer_missing(p->rq, "Application", why);
    free(why);
    return true;
}

void rm_page_answer_bad_value(struct api_request *rq, const char *name, const char *value,
                              const char *expected)
{
    char *text = base_printf("%s: \"%.200s\" is not %s.", name, value, expected);

    api_page_answer_text(rq, 400, &rm_site, "This address cannot be read", text);
    free(text);
}

/* ---- times and amounts ---- */

void rm_page_add_time(struct base_buf *out, int64_t us)
{
    char text[BASE_DATE_TEXT_MAX];

    if (us <= 0) {
        base_buf_adds(out, "not yet");
        return;
    }
    base_iso_utc_text(us, text);
    base_buf_addf(out, "<time datetime=\"%s\">%.10s %.8s UTC</time>", text, text, text + 11);
}

void rm_page_add_short_time(struct base_buf *out, int64_t us)
{
    char text[BASE_DATE_TEXT_MAX];

    if (us > 0)
        base_buf_addf(out, "<time datetime=\"%s\">%.10s %.8s</time>", base_iso_utc_text(us, text),
                      text, text + 11);
}

void rm_page_add_duration(struct base_buf *out, int64_t us)
{
    int64_t s = us / 1000000;

    base_buf_adds(out, "<span class=\"nowrap\">");
    if (us < 0)
        base_buf_adds(out, "0 s");
    else if (s < 60)
        base_buf_addf(out, "%" PRId64 ".%d s", s, (int)(us / 100000 % 10));
    else if (s < 3600)
        base_buf_addf(out, "%" PRId64 " min %d s", s / 60, (int)(s % 60));
    else if (s < 86400)
        base_buf_addf(out, "%" PRId64 " h %d min", s / 3600, (int)(s / 60 % 60));
    else
        base_buf_addf(out, "%" PRId64 " d %d h", s / 86400, (int)(s / 3600 % 24));
    base_buf_adds(out, "</span>");
}

void rm_page_add_elapsed_time(struct base_buf *out, int64_t start_us, int64_t finish_us,
                              int64_t now_us)
{
    if (start_us)
        rm_page_add_duration(out, (finish_us ? finish_us : now_us) - start_us);
}

void rm_page_add_memory(struct base_buf *out, int64_t mb)
{
    if (mb < 10240)
        base_buf_addf(out, "%" PRId64 " MB", mb);
    else
        base_buf_addf(out, "%.1f GB", (double)mb / 1024);
}

void rm_page_add_use_bar(struct base_buf *out, int64_t used, int64_t total)
{
    int64_t max = total > 0 ? total : 1;

    base_buf_addf(out,
                  "<span class=\"bar\"><progress max=\"%" PRId64 "\" value=\"%" PRId64
                  "\" aria-hidden=\"true\"></progress> %" PRId64 " of %" PRId64 "</span>",
                  max,
                  used < 0     ? 0
                  : used > max ? max
                               : used,
                  used, total);
}

const char *rm_page_name_task_kind(enum base_task_kind k)
{
    return k == BASE_TASK_MAP ? "map" : "reduce";
}

/* ---- states ---- */

void rm_page_add_state(struct base_buf *out, const char *name, enum rm_page_mood mood)
{
    static const char *const classes[] = {[RM_MOOD_IDLE] = "idle",
                                          [RM_MOOD_WAIT] = "wait",
                                          [RM_MOOD_RUN] = "run",
                                          [RM_MOOD_GOOD] = "good",
                                          [RM_MOOD_BAD] = "bad"};

    base_buf_addf(out, "<span class=\"state %s\">%s</span>", classes[mood], name);
}

static enum rm_page_mood get_app_mood(enum rm_app_state s, enum rm_result result)
{
    if (s == RM_APP_RUNNING)
        return RM_MOOD_RUN;
    if (s < RM_APP_RUNNING)
        return RM_MOOD_WAIT;
    if (s == RM_APP_KILLED)
        return RM_MOOD_IDLE;
    return s == RM_APP_FAILED || result == RM_RESULT_FAILED ? RM_MOOD_BAD : RM_MOOD_GOOD;
}

/* A FINISHED application may have failed: then its state alone would mislead. */
void rm_page_add_app_state(struct base_buf *out, const struct rm_app_view *v)
{
    enum rm_app_state s = rm_app_public_state(v->state, v->state_before);

    rm_page_add_state(out, rm_app_state_name(s), get_app_mood(s, v->result));
    if (v->result != RM_RESULT_NONE && strcmp(rm_app_state_name(s), rm_result_name(v->result)) != 0)
        base_buf_addf(out, " <span class=\"soft\">%s</span>", rm_result_name(v->result));
}

enum rm_page_mood rm_page_get_node_mood(enum rm_node_state s)
{
    switch (s) {
    case RM_NODE_RUNNING:
        return RM_MOOD_GOOD;
    case RM_NODE_UNHEALTHY:
    case RM_NODE_LOST:
        return RM_MOOD_BAD;
    case RM_NODE_DECOMMISSIONING:
        return RM_MOOD_WAIT;
    default:
        return RM_MOOD_IDLE;
    }
}

/* ---- names and links ---- */

void rm_page_add_name(struct base_buf *out, const char *name)
{
    bool is_long = strlen(name) > 30; /* breaks anywhere, to leave room for other columns */

    base_buf_adds(out, is_long ? "<span class=\"long\">" : "");
    api_html_add_escaped_cut(out, name, RM_PAGE_NAME);
    base_buf_adds(out, is_long ? "</span>" : "");
}

void rm_page_add_app_link(struct base_buf *out, const struct base_app_id *id)
{
    char text[BASE_ID_TEXT_MAX];

    base_app_id_text(id, text);
    base_buf_addf(out, "<a class=\"id\" href=\"/cluster/app/%s\">%s</a>", text, text);
}

void rm_page_add_container_link(struct base_buf *out, const struct base_container_id *id)
{
    char text[BASE_ID_TEXT_MAX];

    base_container_id_text(id, text);
    base_buf_addf(out, "<a class=\"id\" href=\"/cluster/container/%s\">%s</a>", text, text);
}

void rm_page_add_filter_link(struct base_buf *out, const char *name, const char *value)
{
    base_buf_addf(out, "<a href=\"/cluster/apps?%s=", name);
    base_percent_encode(value, out);
    base_buf_adds(out, "\">");
    rm_page_add_name(out, value);
    base_buf_adds(out, "</a>");
}

static void add_node_href(struct base_buf *out, const char *http)
{
    base_buf_addf(out, "<a href=\"%s", base_http_address_scheme(http));
    api_html_add_escaped(out, base_http_address_host(http));
}

void rm_page_add_node_link(struct base_buf *out, const char *http, const char *text)
{
    if (!http || !*http) {
        api_html_add_escaped(out, text);
        return;
    }
    add_node_href(out, http);
    base_buf_adds(out, "/node/node\">");
    api_html_add_escaped(out, text);
    base_buf_adds(out, "</a>");
}

void rm_page_add_logs_link(struct base_buf *out, const char *http,
                           const struct base_container_id *id, const char *user)
{
    char text[BASE_ID_TEXT_MAX];

    if (!http || !*http) {
        base_buf_adds(out, "none");
        return;
    }
    add_node_href(out, http);
    base_buf_addf(out, "/node/containerlogs/%s/", base_container_id_text(id, text));
    base_percent_encode(user && *user ? user : "nobody", out);
    base_buf_adds(out, "\">logs</a>");
}

void rm_page_add_wait_explanation(struct base_buf *out, struct rm_backend *b,
                                  const struct rm_app_view *v)
{
    bool waits = v->master_waits || v->state < RM_APP_RUNNING ||
                 v->pending.v[RM_RES_MAP_SLOTS] + v->pending.v[RM_RES_REDUCE_SLOTS] > 0;
    struct base_buf why = {0};

    rm_api_explain_wait(b, v->id, &why);
    if (why.len) {
        base_buf_addf(out, "<p class=\"why\"><strong>%s:</strong> ",
                      waits ? "Why it waits" : "The scheduler says");
        api_html_add_escaped(out, why.data);
        base_buf_adds(out, "</p>\n");
    }
    base_buf_free(&why);
}

/* ---- time lines ---- */

#define LINE_WIDTH 1000 /* units of the drawing, which is as wide as its column */

struct rm_time_line rm_time_line_of(const struct rm_app_view *v, int64_t now_us)
{
    int64_t end = v->finish_us ? v->finish_us : now_us;

    return (struct rm_time_line){v->submit_us, end > v->submit_us ? end : v->submit_us + 1};
}

void rm_time_line_add_scale(struct base_buf *out, const struct rm_time_line *t)
{
    base_buf_adds(out, "<p class=\"soft\">The time lines go from ");
    rm_page_add_time(out, t->from_us);
    base_buf_adds(out, " to ");
    rm_page_add_time(out, t->to_us);
    base_buf_adds(out, ": ");
    rm_page_add_duration(out, t->to_us - t->from_us);
    base_buf_adds(out, ".</p>\n");
}

static double place_on_line(const struct rm_time_line *t, int64_t us)
{
    double part = (double)(us - t->from_us) / (double)(t->to_us - t->from_us);

    return LINE_WIDTH * (part < 0 ? 0 : part > 1 ? 1 : part);
}

void rm_time_line_add_bar(struct base_buf *out, const struct rm_time_line *t, int64_t start_us,
                          int64_t finish_us, const char *sort)
{
    double from = place_on_line(t, start_us),
           to = finish_us ? place_on_line(t, finish_us) : LINE_WIDTH;

    base_buf_addf(out,
                  "<svg viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
                  "<rect class=\"ground\" width=\"%d\" height=\"10\"/>",
                  LINE_WIDTH, LINE_WIDTH);
    if (start_us)
        base_buf_addf(out, "<rect class=\"%s\" x=\"%.1f\" width=\"%.1f\" y=\"1\" height=\"8\"/>",
                      sort, from > LINE_WIDTH - 2 ? LINE_WIDTH - 2 : from,
                      to - from < 2 ? 2 : to - from);
    base_buf_adds(out, "</svg>");
}
