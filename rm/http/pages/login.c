/* rm/http/pages/login.c - sessions of browsers with the ResourceManager (api/pages/login.h). */
#include "api/pages/login.h"

#include <stdlib.h>

#include "api/audit/audit.h"
#include "rm/http/access/identify.h"
#include "rm/http/pages/pages.h"
#include "rm/http/routes.h"
#include "rm/leader/standby.h"

static void get_login(struct api_request *rq, void *user)
{
    (void)user;
    api_login_answer_page(rq, &rm_site);
}

static void begin_session_and_answer(struct api_request *rq, struct rm_backend *b,
                                     const struct api_login *login)
{
    char session[API_SESSION_TEXT_MAX];
    struct base_buf why = {0};
    int64_t seconds;
    char *user = rm_begin_session(b, login->token, session, &seconds, &why);

    if (user) {
        api_audit_add_member(rq, "of", user);
        api_login_begin_session_and_lead_on(rq, &rm_site, session, seconds, login);
    } else if (!rm_standby_is_active(b)) {
        rm_standby_answer_leadership_over(rq, b, RM_NOT_ACTIVE_TEXT);
    } else {
        api_audit_mark_forbidden(rq, why.data);
        api_login_answer_token_refused(rq, &rm_site, login);
    }
    free(user);
    base_buf_free(&why);
}

static void post_login(struct api_request *rq, void *user)
{
    struct api_login login;

    if (api_login_read_form_or_answer(rq, &rm_site, &login))
        begin_session_and_answer(rq, user, &login);
    api_login_free(&login);
}

static void post_logout(struct api_request *rq, void *user)
{
    (void)user;
    api_login_end_session_and_answer(rq, &rm_site);
}

void rm_page_answer_login_needed(struct api_request *rq, void *user)
{
    (void)user;
    api_login_answer_login_needed(rq, &rm_site);
}

const struct api_route rm_pages_login_routes[] = {
    API_LOGIN_ROUTES(get_login, post_login, post_logout),
};
const size_t rm_pages_login_routes_n = sizeof rm_pages_login_routes / sizeof *rm_pages_login_routes;
