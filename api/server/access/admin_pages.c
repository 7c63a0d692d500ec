#include "api/server/access/admin_pages.h"

static bool is_page_for_admins_only(const struct base_conf *conf, enum api_admin_page page)
{
    bool authorizes = base_conf_bool(conf, "hadoop.security.authorization");

    switch (page) {
    case API_ADMIN_LOGS:
        return authorizes;
    case API_ADMIN_INSTRUMENTS:
        return authorizes && base_conf_bool(conf, "hadoop.security.instrumentation.requires.admin");
    case API_ADMIN_CHANGE:
        break;
    }
    return true;
}

bool api_admin_refuse_page_unless_admin(struct api_request *rq, const struct base_conf *conf,
                                        enum api_admin_page page,
                                        bool (*is_admin)(struct api_request *rq, void *user),
                                        void *user)
{
    bool named = api_caller(rq) || !base_conf_bool(conf, "hadoop.security.authorization");

    if (!is_page_for_admins_only(conf, page) || (named && is_admin(rq, user)))
        return false;
    api_answer_html_error_page(
        rq, 403, "Unauthenticated users are not authorized to access this page.", NULL);
    return true;
}
