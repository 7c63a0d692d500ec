/* api/cli/doctor/doctor.h - creel doctor: what is open in a configuration, and in a running
 * cluster.
 *
 * A check is one row of the table in checks.c: what it is called, how bad the hole is, why it
 * matters, how to close it, and a function that looks for it. The function calls
 * doctor_report_if_severe() once for each key, file or answer that is open; a check that finds
 * nothing reports nothing.
 *
 *   configuration (and the files it names) --checks--+
 *   answers of a daemon to a stranger      --checks--+--> findings --> text or JSON, exit status
 */
#ifndef CREEL_API_CLI_DOCTOR_DOCTOR_H
#define CREEL_API_CLI_DOCTOR_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/conf/conf.h"
#include "base/io/http_client.h"

enum doctor_severity {
    DOCTOR_LOW,    /* defence in depth is missing */
    DOCTOR_MEDIUM, /* users of the cluster can do more than they should */
    DOCTOR_HIGH,   /* whoever reaches a port or logs in on a host can take the cluster over */
};

extern const char *const doctor_severities[]; /* the names of enum doctor_severity */

struct doctor;
struct doctor_check {
    const char *id; /* [a-z-]; stable, since scripts read it */
    enum doctor_severity severity;
    void (*run)(struct doctor *d, const struct doctor_check *check);
    const char *why;    /* what the hole lets others do */
    const char *remedy; /* how to close it */
    bool live;          /* looks at a running cluster: runs only when its address was given */
};
extern const struct doctor_check doctor_checks[]; /* ends with id == NULL */

struct doctor {
    const struct base_conf *conf;
    const char *url; /* of the daemon to look at, without a slash at the end; NULL: none */
    struct base_http *http;
    enum doctor_severity at_least; /* findings below it are left out */
    json_t *findings;              /* array of {id, severity, key, value, why, remedy} */
};

/* ---- finding.c ---- */
/* Adds a finding of @check: @key, a configuration key or a request, has the value @value. */
void doctor_report_if_severe(struct doctor *d, const struct doctor_check *check, const char *key,
                             const char *value);

/* ---- conf.c: what the configuration says ---- */
/* Returns the value of @key as set, else its default; "" when there is none. Borrowed. */
const char *doctor_conf_get(const struct doctor *d, const char *key);
/* Returns true when @key is "true". */
bool doctor_conf_is_true(const struct doctor *d, const char *key);
/* Returns true when @host, a name or an address, is not one of this host's loopback. */
bool doctor_is_off_loopback(const char *host);
/* Returns true when a daemon with this configuration listens off loopback. Sets *@key and *@value
 * (either may be NULL) to the setting that says so. */
bool doctor_listens_off_loopback(const struct doctor *d, const char **key, const char **value);
void doctor_check_simple_auth(struct doctor *d, const struct doctor_check *check);
void doctor_check_insecure_keys(struct doctor *d, const struct doctor_check *check);
void doctor_check_plain_http(struct doctor *d, const struct doctor_check *check);
void doctor_check_no_cluster_secret(struct doctor *d, const struct doctor_check *check);
void doctor_check_acls_enabled(struct doctor *d, const struct doctor_check *check);
void doctor_check_admin_acl_for_all(struct doctor *d, const struct doctor_check *check);
void doctor_check_no_user_launcher(struct doctor *d, const struct doctor_check *check);
void doctor_check_no_isolation(struct doctor *d, const struct doctor_check *check);
void doctor_check_disk_limit(struct doctor *d, const struct doctor_check *check);
void doctor_check_cross_origin(struct doctor *d, const struct doctor_check *check);
void doctor_check_jmx_origin(struct doctor *d, const struct doctor_check *check);
void doctor_check_master_pages(struct doctor *d, const struct doctor_check *check);
void doctor_check_proxy_users_for_all(struct doctor *d, const struct doctor_check *check);
void doctor_check_zookeeper_secret(struct doctor *d, const struct doctor_check *check);
void doctor_check_admin_pages_restricted(struct doctor *d, const struct doctor_check *check);

/* ---- files.c: the files and folders that the configuration names ---- */
void doctor_check_keytab(struct doctor *d, const struct doctor_check *check);
void doctor_check_secret_files(struct doctor *d, const struct doctor_check *check);
void doctor_check_launcher_file(struct doctor *d, const struct doctor_check *check);
void doctor_check_state_folder(struct doctor *d, const struct doctor_check *check);
void doctor_check_local_folder(struct doctor *d, const struct doctor_check *check);
void doctor_check_conf_folder(struct doctor *d, const struct doctor_check *check);

/* ---- cluster.c: what a running daemon answers to a stranger ---- */
void doctor_check_claimed_user_name(struct doctor *d, const struct doctor_check *check);
void doctor_check_stranger_can_submit(struct doctor *d, const struct doctor_check *check);
void doctor_check_stranger_can_join(struct doctor *d, const struct doctor_check *check);
void doctor_check_private_pages(struct doctor *d, const struct doctor_check *check);
void doctor_check_live_plain_http(struct doctor *d, const struct doctor_check *check);

#endif
