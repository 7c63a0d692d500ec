#include "nodemanager/daemon/leader_search.h"

#include <stdlib.h>

#include "base/id.h"
#include "base/io/json.h"
#include "nodemanager/core/rm_search.h"

#define CONNECT_MS 1000
#define ANSWER_MS  3000
#define BODY_MAX   65536

bool nm_ha_answer_shows_leader(const char *text, size_t len, int64_t least)
{
    const char *state = "";
    int64_t epoch = -1;
    json_t *j = NULL;
    bool yes = base_json_parse(text, len, &j, NULL) == 0 && json_is_object(j) &&
               base_json_str(j, "", "state", true, 32, &state, NULL) == 0 &&
               base_json_int(j, "", "epoch", true, 0, BASE_EPOCH_MAX, &epoch, NULL) == 0 &&
               nm_rm_search_state_is_leader(state, epoch, least);

    json_decref(j);
    return yes;
}

bool nm_ask_whether_rm_leads(struct base_http *h, struct base_keyring *keys, const char *url,
                             int64_t least)
{
    char *full = base_printf("%s/ws/v1/cluster/ha", url);
    struct base_http_request rq = {.method = "GET",
                                   .url = full,
                                   .keys = keys,
                                   .connect_timeout_ms = CONNECT_MS,
                                   .timeout_ms = ANSWER_MS,
                                   .body_max = BODY_MAX};
    struct base_http_answer a = {0};
    bool yes = base_http_perform(h, &rq, &a, NULL) == 0 && a.status == 200 &&
               nm_ha_answer_shows_leader(a.body.data ? a.body.data : "", a.body.len, least);

    base_http_answer_free(&a);
    free(full);
    return yes;
}
