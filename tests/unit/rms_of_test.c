/* Two ResourceManagers of a test: see rms_of_test.h. */
#include "tests/unit/rms_of_test.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/conf/conf.h"
#include "rm/daemon/daemon.h"
#include "rm/http/access/prepare.h"
#include "rm/http/routes.h"
#include "rm/leader/standby.h"
#include "tests/unit/simple_conf.h"
#include "tests/unit/stores.h"

struct rm_of_test rms[2];

static struct api_server *servers[2];
static struct base_conf *conf;
static struct api_route *routes;

void rms_set(const char *key_eq_value)
{
    conf = conf ? conf : simple_conf_new();
    base_assert(base_conf_set_arg(conf, key_eq_value, NULL) == 0);
}

void rms_start(const struct rm_role_source sources[2])
{
    struct api_server_conf sc = {.bind = "127.0.0.1",
                                 .threads = 1,
                                 .static_user = "dr.who",
                                 .prepare = rm_access_park_for_groups,
                                 .gate = rm_standby_answer_unless_active};
    struct base_error err = {0};
    size_t n;

    conf = conf ? conf : simple_conf_new();
    routes = rm_routes_new(&n);
    for (int i = 0; i < 2; i++) { /* servers first: each RM is told the other's address */
        base_assert(rm_daemon_new_standby(conf, &rms[i].b, &err) == 0);
        base_assert(api_server_start(&sc, routes, n, rms[i].b, &servers[i], &err) == 0);
        rms[i].port = api_server_port(servers[i]);
        snprintf(rms[i].url, sizeof rms[i].url, "http://127.0.0.1:%u", rms[i].port);
    }
    for (int i = 0; i < 2; i++) {
        char *all = base_printf("%s,%s", rms[i].url, rms[1 - i].url);

        rm_role_set_identity(rms[i].b, i ? "rm-2" : "rm-1", all);
        rm_role_set_source(rms[i].b, &sources[i]);
        rm_daemon_start(rms[i].b);
        rm_daemon_set_url(rms[i].b, rms[i].url);
        free(all);
    }
}

void rms_stop(void)
{
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(rm_daemon_stop(rms[i].b, NULL), 0);
        api_server_stop(servers[i]);
        rm_daemon_free(rms[i].b);
    }
    stores_forget();
    base_conf_free(conf);
    conf = NULL;
    free(routes);
}

void rms_lead(int i, struct ha_store *store, int64_t epoch)
{
    base_assert(rm_daemon_activate(rms[i].b, store, epoch, NULL) == 0);
    rm_role_set_active_url(rms[i].b, "");
    rm_role_set_active_url(rms[1 - i].b, rms[i].url);
}

void rms_end(int i)
{
    rm_role_depose(rms[i].b);
    rm_daemon_abort_leadership(rms[i].b, "told to");
    rm_role_set_active_url(rms[1 - i].b, "");
}
