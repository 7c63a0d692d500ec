#include "api/pages/login.h"

#include <stdlib.h>
#include <string.h>

#include "api/pages/escape.h"
#include "api/server/session.h"
#include "api/server/uri.h"
#include "base/conf/percent.h"
#include "base/crypto/log_token.h"

#define HOME   "/"
#define TO_MAX 2000

bool api_login_target_is_local(const char *to)
{
    /* browsers take "//host" and "/\host" for other hosts, and drop control characters */
    if (to[0] != '/' || to[1] == '/' || strlen(to) > TO_MAX)
        return false;
    for (const char *c = to; *c; c++)
        if (*c <= ' ' || *c >= 0x7f || *c == '\\')
            return false;
    return true;
}

/* Borrowed from @to. */
static const char *get_local_target_or_home(const char *to)
{
    return to && api_login_target_is_local(to) ? to : HOME;
}

/* ---- answers ---- */

static void answer_login_not_offered(struct api_request *rq, const struct api_page_site *site)
{
    api_page_answer_text(rq, 404, site, "Log in",
                         "Callers name themselves here (creel.auth is simple): there is nothing to "
                         "log in to.");
}

static void answer_uncached_page(struct api_request *rq, unsigned status, struct base_buf *page)
{
    api_add_header(rq, "Cache-Control", "no-store");
    api_page_answer(rq, status, page);
}

static void redirect_known_user(struct api_request *rq, const char *to)
{
    struct base_buf body = {0};

    api_add_header(rq, "Cache-Control", "no-store");
    api_add_header(rq, "Location", to);
    api_answer(rq, 303, API_TEXT, &body);
}

static void add_login_form(struct base_buf *page, const char *to)
{
    base_buf_adds(page,
                  "<p>A token says who you are; <code>creel token --new</code> makes one. With it "
                  "this browser may "
                  "read what its user may read, for some hours, unless the token expires or is "
                  "revoked.</p>\n"
                  "<form method=\"post\" action=\"" API_LOGIN_PATH "\">\n"
                  "<input type=\"hidden\" name=\"to\" value=\"");
    api_html_add_escaped(page, to);
    base_buf_adds(page, "\">\n<label>Token <input type=\"password\" name=\"token\" required "
                        "autocomplete=\"off\"></label>\n"
                        "<button>Log in</button>\n</form>\n");
}

static void add_user_and_logout_form(struct base_buf *page, const char *user)
{
    base_buf_adds(page, "<p>You are ");
    api_html_add_escaped_cut(page, user, 200);
    base_buf_adds(page, ".</p>\n<form method=\"post\" action=\"" API_LOGOUT_PATH "\">\n"
                        "<button>Log out</button>\n</form>\n");
}

void api_login_answer_page(struct api_request *rq, const struct api_page_site *site)
{
    const char *to = api_query(rq, "to");
    struct base_buf page = {0};

    if (!api_session_is_offered(rq)) {
        answer_login_not_offered(rq, site);
    } else if (api_caller_is_named(rq) && to) {
        redirect_known_user(rq, get_local_target_or_home(to));
    } else {
        api_page_open(&page, site, API_LOGIN_PATH, "Log in");
        if (api_caller_is_named(rq))
            add_user_and_logout_form(&page, api_caller(rq));
        else
            add_login_form(&page, get_local_target_or_home(to));
        answer_uncached_page(rq, 200, &page);
    }
}

static void add_query_pair_but_log_token(const char *name, const char *value, void *user)
{
    struct base_buf *out = user;

    if (strcmp(name, BASE_LOG_TOKEN_QUERY) == 0) /* it has expired, and would be refused again */
        return;
    base_buf_adds(out, strchr(out->data, '?') ? "&" : "?");
    base_percent_encode(name, out);
    if (!value)
        return;
    base_buf_adds(out, "=");
    base_percent_encode(value, out);
}

void api_login_answer_login_needed(struct api_request *rq, const struct api_page_site *site)
{
    struct base_buf page = {0}, here = {0}, href = {0};

    base_buf_adds(&here, api_path(rq));
    api_query_each_pair(rq, add_query_pair_but_log_token, &here);
    base_buf_adds(&href, API_LOGIN_PATH "?to=");
    base_percent_encode(get_local_target_or_home(here.data), &href);
    api_page_open(&page, site, NULL, "Who are you?");
    base_buf_adds(&page, "<p>This page is for users of the cluster. ");
    api_page_add_link(&page, href.data, "Log in");
    base_buf_adds(&page, " to see it.</p>\n");
    answer_uncached_page(rq, 401, &page);
    base_buf_free(&href);
    base_buf_free(&here);
}

void api_login_answer_token_refused(struct api_request *rq, const struct api_page_site *site,
                                    const struct api_login *l)
{
    struct base_buf page = {0};

    api_page_open(&page, site, API_LOGIN_PATH, "Log in");
    base_buf_adds(&page, "<p class=\"why bad-news\" role=\"alert\">The token is not valid.</p>\n");
    add_login_form(&page, get_local_target_or_home(l->to));
    api_add_header(rq, "WWW-Authenticate", "Bearer error=\"invalid_token\"");
    answer_uncached_page(rq, 401, &page);
}

void api_login_begin_session_and_lead_on(struct api_request *rq, const struct api_page_site *site,
                                         const char *session, int64_t seconds,
                                         const struct api_login *l)
{
    const char *to = get_local_target_or_home(l->to);
    struct base_buf page = {0}, refresh = {0};

    api_session_set_cookie(rq, session, seconds);
    base_buf_addf(&refresh, "0;url=%s", to);
    api_add_header(rq, "Refresh", refresh.data);
    api_page_open(&page, site, NULL, "Logged in");
    base_buf_adds(&page, "<p>You are led on to ");
    api_page_add_link(&page, to, to);
    base_buf_adds(&page, ".</p>\n");
    answer_uncached_page(rq, 200, &page);
    base_buf_free(&refresh);
}

void api_login_end_session_and_answer(struct api_request *rq, const struct api_page_site *site)
{
    struct base_buf page = {0};

    api_session_clear_cookies(rq);
    api_page_open(&page, site, API_LOGIN_PATH, "Logged out");
    base_buf_adds(&page, "<p>This browser has forgotten who you are. ");
    api_page_add_link(&page, API_LOGIN_PATH, "Log in");
    base_buf_adds(&page, " again.</p>\n");
    if (api_session_takes_tickets(rq))
        base_buf_adds(&page, "<p>A browser with a Kerberos ticket is known again at once, on the "
                             "next page: <code>kdestroy</code> ends the ticket.</p>\n");
    answer_uncached_page(rq, 200, &page);
}

/* ---- the form ---- */

bool api_login_read_form_or_answer(struct api_request *rq, const struct api_page_site *site,
                                   struct api_login *out)
{
    /* a form is written like a query */
    char *target = base_printf("/?%s", api_body(rq, NULL));
    struct api_uri form;
    bool ok = api_uri_parse(&form, target) == 0;
    const char *token = ok ? api_uri_find_query_value(&form, "token") : NULL;
    const char *to = ok ? api_uri_find_query_value(&form, "to") : NULL;

    *out = (struct api_login){token ? base_strdup(token) : NULL, to ? base_strdup(to) : NULL};
    api_uri_free(&form);
    explicit_bzero(target, strlen(target));
    free(target);
    if (!api_session_is_offered(rq)) {
        answer_login_not_offered(rq, site);
        return false;
    }
    if (!out->token || !*out->token || strlen(out->token) > API_LOGIN_TOKEN_MAX) {
        api_login_answer_token_refused(rq, site, out);
        return false;
    }
    return true;
}

void api_login_free(struct api_login *l)
{
    if (l->token)
        explicit_bzero(l->token, strlen(l->token));
    free(l->token);
    free(l->to);
    *l = (struct api_login){0};
}
