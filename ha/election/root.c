/* ha/election/root.c - creates the cluster's root in ZooKeeper or, if it exists, checks it. Also
 * parses the texts stored below it. */
#include <stdlib.h>
#include <string.h>

#include "base/io/log.h"
#include "base/mem.h"
#include "ha/election/election_internal.h"

#define NO_EPOCH "-1 - 0000000000000000\n" /* no epoch yet: the first claim takes 0 */

/* Parses 16 hex digits as printed by %016llx. Returns the end of the digits, or NULL. */
static const char *parse_session(const char *p, int64_t *out)
{
    uint64_t v = 0;

    for (int i = 0; i < 16; i++, p++) {
        if (*p >= '0' && *p <= '9')
            v = v << 4 | (uint64_t)(*p - '0');
        else if (*p >= 'a' && *p <= 'f')
            v = v << 4 | (uint64_t)(*p - 'a' + 10);
        else
            return NULL;
    }
    *out = (int64_t)v;
    return p;
}

/* Parses a decimal number, perhaps negative, of at most 18 digits, so that adding 1 cannot
 * overflow. Returns the end of the digits, or NULL. */
static const char *parse_decimal(const char *p, int64_t *out)
{
    bool minus = *p == '-';
    int digits = 0;
    int64_t v = 0;

    for (p += minus; *p >= '0' && *p <= '9' && digits < 18; p++, digits++)
        v = v * 10 + (*p - '0');
    *out = minus ? -v : v;
    return digits ? p : NULL;
}

bool election_node_name_parse(const char *name, struct election_id *out)
{
    const char *p = strchr(name, '~');

    if (!p || p == name || strlen(name) >= ELECTION_NAME_MAX)
        return false;
    out->rm_len = (size_t)(p - name);
    p = parse_session(p + 1, &out->session);
    if (!p || *p != '~')
        return false;
    p = parse_decimal(p + 1, &out->sequence);
    return p && !*p;
}

bool election_authority_parse(const char *data, struct election_authority *out)
{
    int64_t epoch, session;
    const char *rm = parse_decimal(data, &epoch);
    size_t len;
    const char *end;

    if (!rm || *rm++ != ' ' || epoch < -1 || epoch > HA_EPOCH_MAX)
        return false;
    len = strcspn(rm, " \n");
    if (!len || len >= ELECTION_NAME_MAX || rm[len] != ' ')
        return false;
    end = parse_session(rm + len + 1, &session);
    /* an operator may have written the text without a final newline */
    if (!end || (*end && strcmp(end, "\n") != 0))
        return false;
    free(out->rm);
    out->rm = base_strndup(rm, len);
    out->epoch = epoch;
    out->session = session;
    return true;
}

int election_root_check(const char *path, const char *data, const char *cluster_id,
                        struct base_error *err)
{
    int64_t format = 0;
    const char *p = strncmp(data, "creel ", 6) == 0 ? parse_decimal(data + 6, &format) : NULL;
    size_t len;

    if (!p || format < 1)
        return base_error_set(
            err, -BASE_EINVAL,
            "%s in ZooKeeper is not a root of Creel: it holds \"%.80s\", expected \"creel %d %s\"; "
            "set creel.ha.zk-root to a path that is free",
            path, data, HA_ZK_FORMAT, cluster_id);
    if (format > HA_ZK_FORMAT)
        return base_error_set(err, -BASE_EVERSION,
                              "%s in ZooKeeper has format %lld, written by a newer Creel; this one "
                              "knows formats up to %d",
                              path, (long long)format, HA_ZK_FORMAT);
    p += *p == ' ';
    len = strcspn(p, "\n");
    if (len != strlen(cluster_id) || memcmp(p, cluster_id, len) != 0)
        return base_error_set(
            err, -BASE_EINVAL,
            "%s in ZooKeeper belongs to cluster \"%.*s\", this ResourceManager to cluster \"%s\" "
            "(yarn.resourcemanager.cluster-id)",
            path, (int)(len < 200 ? len : 200), p, cluster_id);
    return 0;
}

void election_start_round(struct ha_election *e)
{
    e->retry_us = 0;
    e->opened = false;
    election_forget_nodes(e);
    e->want[SLOT_CHILDREN] = e->want[SLOT_EPOCH] = 0;
    if (!e->connected)
        return;
    e->phase = HA_OPENING;
    /* SYNC goes through ZooKeeper's leader: after SYNC, a request of an earlier connection either
     * has been carried out or never will be. */
    election_read_node(e, STEP_SYNC, HA_ZK_SYNC, e->root);
}

/* Creates the node whose path is the first e->making bytes of the root's path. The root itself is
 * created in one multi with its children, so that it is never incomplete. */
static void create_next_root_node(struct ha_election *e)
{
    char *path = base_strndup(e->root, e->making);
    size_t up = (size_t)(strrchr(path, '/') - path);
    /* the parent's ACL decides whether we may create @path */
    char *parent = base_strndup(e->root, up ? up : 1);
    char *log = base_printf("%s/log", e->root);
    char *whose = base_printf("creel %d %s\n", HA_ZK_FORMAT, e->cluster_id);
    bool all = e->making == strlen(e->root);
    const struct ha_zk_op ops[] = {
        {.kind = HA_ZK_CREATE,
         .path = path,
         .data = all ? whose : "",
         .len = all ? strlen(whose) : 0},
        {.kind = HA_ZK_CREATE, .path = e->epoch_path, .data = NO_EPOCH, .len = strlen(NO_EPOCH)},
        {.kind = HA_ZK_CREATE, .path = e->election_path, .data = ""},
        {.kind = HA_ZK_CREATE, .path = log, .data = ""},
    };

    election_send_multi(e, STEP_MAKE_ROOT, parent, ops, all ? 4 : 1);
    free(path);
    free(parent);
    free(log);
    free(whose);
}

static void on_root_node_created(struct ha_election *e, enum ha_zk_code code, int64_t now_us)
{
    size_t full = strlen(e->root);

    /* Try from the deepest level upwards, so that no permission is needed above the existing
     * nodes. */
    if (code == HA_ZK_NONODE) {
        while (e->making > 0 && e->root[e->making - 1] != '/')
            e->making--;
        if (e->making <= 1) {
            election_retry_later(e, now_us);
            return;
        }
        e->making--;
        create_next_root_node(e);
    } else if (code != HA_ZK_OK && code != HA_ZK_NODEEXISTS) {
        election_retry_later(e, now_us);
    } else if (e->making < full) {
        do
            e->making++;
        while (e->making < full && e->root[e->making] != '/');
        create_next_root_node(e);
    } else {
        election_read_node(e, STEP_ROOT, HA_ZK_GET, e->root);
    }
}

/* Creates those of the children "epoch", "election" and "log" that are missing, because someone
 * deleted them. When none is missing, the root counts as checked and the round continues. */
static void create_missing_root_children(struct ha_election *e, const struct ha_zk_event *ev)
{
    bool epoch = false, election = false, log = false;
    char *log_path = base_printf("%s/log", e->root);
    struct ha_zk_op ops[3];
    size_t n = 0;

    for (size_t i = 0; i < ev->children_n; i++) {
        epoch |= strcmp(ev->children[i], "epoch") == 0;
        election |= strcmp(ev->children[i], "election") == 0;
        log |= strcmp(ev->children[i], "log") == 0;
    }
    if (!epoch) {
        election_log(e, BASE_LOG_WARN, "%s is missing: created again, so epochs restart",
                     e->epoch_path);
        ops[n++] = (struct ha_zk_op){
            .kind = HA_ZK_CREATE, .path = e->epoch_path, .data = NO_EPOCH, .len = strlen(NO_EPOCH)};
    }
    if (!election)
        ops[n++] = (struct ha_zk_op){.kind = HA_ZK_CREATE, .path = e->election_path, .data = ""};
    if (!log)
        ops[n++] = (struct ha_zk_op){.kind = HA_ZK_CREATE, .path = log_path, .data = ""};
    if (n) {
        election_send_multi(e, STEP_MAKE_PARTS, e->root, ops, n);
    } else {
        e->opened = true;
        election_request_nodes_and_epoch(e);
    }
    free(log_path);
}

static void on_root_data(struct ha_election *e, const struct ha_zk_event *ev, int64_t now_us)
{
    struct base_error err = {0};

    if (ev->code == HA_ZK_NONODE) {
        e->making = strlen(e->root);
        create_next_root_node(e);
    } else if (ev->code != HA_ZK_OK) {
        election_retry_later(e, now_us);
    } else if (election_root_check(e->root, ev->data, e->cluster_id, &err) < 0) {
        election_enter_refused(e, &err);
    } else {
        election_read_node(e, STEP_PARTS, HA_ZK_CHILDREN, e->root);
    }
}

void election_on_root_result(struct ha_election *e, const struct ha_zk_event *ev, int64_t now_us)
{
    if (e->step == STEP_SYNC)
        election_read_node(e, STEP_ROOT, HA_ZK_GET, e->root);
    else if (e->step == STEP_ROOT)
        on_root_data(e, ev, now_us);
    else if (e->step == STEP_MAKE_ROOT)
        on_root_node_created(e, ev->code, now_us);
    else if (e->step == STEP_PARTS && ev->code == HA_ZK_OK)
        create_missing_root_children(e, ev);
    else if (e->step == STEP_MAKE_PARTS && (ev->code == HA_ZK_OK || ev->code == HA_ZK_NODEEXISTS))
        election_read_node(e, STEP_PARTS, HA_ZK_CHILDREN, e->root);
    else
        election_retry_later(e, now_us);
}
