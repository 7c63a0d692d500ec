/* api/cli/doctor/conf.c - what the configuration itself leaves open. */
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "api/cli/doctor/doctor.h"
#include "base/conf/acl_conf.h"
#include "base/conf/http_policy.h"
#include "base/mem.h"

const char *doctor_conf_get(const struct doctor *d, const char *key)
{
    const char *value = base_conf_get(d->conf, key);
    return value ? value : "";
}

bool doctor_conf_is_true(const struct doctor *d, const char *key)
{
    return strcasecmp(doctor_conf_get(d, key), "true") == 0;
}

bool doctor_is_off_loopback(const char *host)
{
    struct in_addr v4;
    struct in6_addr v6;

    if (strcasecmp(host, "localhost") == 0)
        return false;
    if (inet_pton(AF_INET, host, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 != 127;
    if (inet_pton(AF_INET6, host, &v6) == 1)
        return !IN6_IS_ADDR_LOOPBACK(&v6);
    return true;
}

/* One of several ResourceManagers listens on the address by which the others know it, unless
 * creel.rm.bind is set. */
static bool ha_address_is_off_loopback(const struct doctor *d, const char **key, const char **value)
{
    static const char *const families[] = {"yarn.resourcemanager.webapp.address.",
                                           "yarn.resourcemanager.webapp.https.address.",
                                           "yarn.resourcemanager.hostname."};
    struct base_conf_item item;

    for (size_t i = 0; base_conf_item_at(d->conf, i, &item); i++)
        for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
            if (strncmp(item.name, families[f], strlen(families[f])) != 0)
                continue;
            const char *colon = strrchr(item.value, ':');
            char *host =
                base_strndup(item.value, colon ? (size_t)(colon - item.value) : strlen(item.value));
            bool off = doctor_is_off_loopback(host);
            free(host);
            if (!off)
                continue;
            *key = item.name;
            *value = item.value;
            return true;
        }
    return false;
}

bool doctor_listens_off_loopback(const struct doctor *d, const char **key, const char **value)
{
    static const char *const binds[] = {"creel.rm.bind", "creel.nodemanager.bind"};
    const char *ignored;

    key = key ? key : &ignored;
    value = value ? value : &ignored;
    for (size_t i = 0; i < sizeof binds / sizeof *binds; i++)
        if (doctor_is_off_loopback(doctor_conf_get(d, binds[i]))) {
            *key = binds[i];
            *value = doctor_conf_get(d, binds[i]);
            return true;
        }
    return !base_conf_is_set(d->conf, "creel.rm.bind") &&
           *doctor_conf_get(d, "yarn.resourcemanager.ha.rm-ids") &&
           ha_address_is_off_loopback(d, key, value);
}

/* ---- users ---- */
void doctor_check_simple_auth(struct doctor *d, const struct doctor_check *check)
{
    if (strcmp(doctor_conf_get(d, "creel.auth"), "simple") == 0)
        doctor_report_if_severe(d, check, "creel.auth", "simple");
}

void doctor_check_insecure_keys(struct doctor *d, const struct doctor_check *check)
{
    static const char *const keys[] = {"creel.rm.insecure", "creel.nodemanager.insecure"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (doctor_conf_is_true(d, keys[i]))
            doctor_report_if_severe(d, check, keys[i], "true");
}

void doctor_check_acls_enabled(struct doctor *d, const struct doctor_check *check)
{
    if (!base_acl_conf_is_enabled(d->conf))
        doctor_report_if_severe(d, check, "yarn.acl.enable", doctor_conf_get(d, "yarn.acl.enable"));
}

static bool has_asterisk_entry(const char *list)
{
    for (const char *at = list; *at;) {
        size_t blanks = strspn(at, ", \t\n"), len = strcspn(at + blanks, ", \t\n");
        if (len == 1 && at[blanks] == '*')
            return true;
        at += blanks + len;
    }
    return false;
}

void doctor_check_admin_acl_for_all(struct doctor *d, const struct doctor_check *check)
{
    const char *admins = base_acl_conf_get_admins(d->conf);
    if (base_acl_names_everybody(admins))
        doctor_report_if_severe(d, check, "yarn.admin.acl", admins);
}

void doctor_check_proxy_users_for_all(struct doctor *d, const struct doctor_check *check)
{
    struct base_conf_item item;
    for (size_t i = 0; base_conf_item_at(d->conf, i, &item); i++)
        if (strncmp(item.name, "hadoop.proxyuser.", 17) == 0 && item.value &&
            has_asterisk_entry(item.value))
            doctor_report_if_severe(d, check, item.name, item.value);
}

void doctor_check_admin_pages_restricted(struct doctor *d, const struct doctor_check *check)
{
    if (!doctor_conf_is_true(d, "hadoop.security.authorization"))
        doctor_report_if_severe(d, check, "hadoop.security.authorization",
                                doctor_conf_get(d, "hadoop.security.authorization"));
}

/* ---- the network ---- */
void doctor_check_plain_http(struct doctor *d, const struct doctor_check *check)
{
    const char *key, *value;
    if (base_http_policy_is_https(d->conf) || !doctor_listens_off_loopback(d, &key, &value))
        return;
    char *text =
        base_printf("%s, and %s is %s", doctor_conf_get(d, "yarn.http.policy"), key, value);
    doctor_report_if_severe(d, check, "yarn.http.policy", text);
    free(text);
}

void doctor_check_no_cluster_secret(struct doctor *d, const struct doctor_check *check)
{
    if (!*doctor_conf_get(d, "creel.cluster.secret-file") &&
        doctor_listens_off_loopback(d, NULL, NULL))
        doctor_report_if_severe(d, check, "creel.cluster.secret-file", "");
}

void doctor_check_cross_origin(struct doctor *d, const struct doctor_check *check)
{
    const char *key = "hadoop.http.cross-origin.allowed-origins";
    if ((doctor_conf_is_true(d, "yarn.resourcemanager.webapp.cross-origin.enabled") ||
         doctor_conf_is_true(d, "yarn.nodemanager.webapp.cross-origin.enabled")) &&
        has_asterisk_entry(doctor_conf_get(d, key)))
        doctor_report_if_severe(d, check, key, doctor_conf_get(d, key));
}

void doctor_check_jmx_origin(struct doctor *d, const struct doctor_check *check)
{
    if (doctor_conf_is_true(d, "creel.http.jmx-any-origin"))
        doctor_report_if_severe(d, check, "creel.http.jmx-any-origin", "true");
}

void doctor_check_master_pages(struct doctor *d, const struct doctor_check *check)
{
    if (base_acl_conf_requires_auth(d->conf) && !base_acl_conf_sandboxes_masters(d->conf))
        doctor_report_if_severe(d, check, "creel.proxy.sandbox", "false");
}

void doctor_check_zookeeper_secret(struct doctor *d, const struct doctor_check *check)
{
    const char *key = *doctor_conf_get(d, "yarn.resourcemanager.zk-address")
                          ? "yarn.resourcemanager.zk-address"
                          : "hadoop.zk.address";
    /* without hadoop.zk.auth and creel.zk.secret-file, the password is in a file beside the
     * cluster's secret */
    if (*doctor_conf_get(d, key) && !*doctor_conf_get(d, "hadoop.zk.auth") &&
        !*doctor_conf_get(d, "creel.zk.secret-file") &&
        !*doctor_conf_get(d, "creel.cluster.secret-file"))
        doctor_report_if_severe(d, check, "creel.zk.secret-file", "");
}

/* ---- containers ---- */
void doctor_check_no_user_launcher(struct doctor *d, const struct doctor_check *check)
{
    if (!*doctor_conf_get(d, "creel.nodemanager.user-launcher"))
        doctor_report_if_severe(d, check, "creel.nodemanager.user-launcher", "");
}

void doctor_check_no_isolation(struct doctor *d, const struct doctor_check *check)
{
    if (strcmp(doctor_conf_get(d, "creel.nodemanager.isolation"), "none") == 0)
        doctor_report_if_severe(d, check, "creel.nodemanager.isolation", "none");
}

void doctor_check_disk_limit(struct doctor *d, const struct doctor_check *check)
{
    const char *value = doctor_conf_get(d, "creel.container.disk-mb");
    if (strcmp(value, "0") == 0)
        doctor_report_if_severe(d, check, "creel.container.disk-mb", value);
}
