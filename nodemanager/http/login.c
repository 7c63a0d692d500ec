/* nodemanager/http/login.c - sessions of browsers with a NodeManager (api/pages/login.h). The
 * ResourceManager makes them and says whose they are: one that it has begun itself is good here,
 * too, where the browser sends the cookie to both. */
#include "api/pages/login.h"
#include "nodemanager/http/access/identify.h"
#include "nodemanager/http/routes.h"
#include "nodemanager/http/site.h"

static void get_login(struct api_request *rq, void *user)
{
    (void)user;
    api_login_answer_page(rq, &nm_site);
}

static void post_login(struct api_request *rq, void *user)
{
    struct api_login login;

    if (api_login_read_form_or_answer(rq, &nm_site, &login))
        nm_identify_begin_session(user, rq, &login); /* takes it */
    else
        api_login_free(&login);
}

static void post_logout(struct api_request *rq, void *user)
{
    (void)user;
    api_login_end_session_and_answer(rq, &nm_site);
}

void nm_page_answer_login_needed(struct api_request *rq, void *user)
{
    (void)user;
    api_login_answer_login_needed(rq, &nm_site);
}

const struct api_route nm_login_routes[] = {
    API_LOGIN_ROUTES(get_login, post_login, post_logout),
};
NM_ROUTES_END(nm_login_routes);
