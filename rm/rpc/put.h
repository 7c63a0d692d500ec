/* rm/rpc/put.h - YARN's reports as messages of Hadoop RPC, from the same resources that REST
 * encodes (rm/http/yarn/fill.h). A struct here holds a message and everything inside it that is a
 * message, too; texts are borrowed from the resource and the view. A message is used in place: its
 * parts point into the struct, which must not move. */
#ifndef CREEL_RM_RPC_PUT_H
#define CREEL_RM_RPC_PUT_H

#include "base/limits.h"
#include "rm/http/yarn/fill.h"
#include "rm/rpc/yarn.pb-c.h"

/* ---- ids ---- */
struct rm_rpc_attempt_id {
    Yarn__AttemptId id;
    Yarn__AppId app;
};
struct rm_rpc_container_id {
    Yarn__ContainerId id;
    struct rm_rpc_attempt_id attempt;
};
void rm_rpc_put_app_id(const struct base_app_id *id, Yarn__AppId *out);
void rm_rpc_put_attempt_id(const struct base_attempt_id *id, struct rm_rpc_attempt_id *out);
void rm_rpc_put_container_id(const struct base_container_id *id, struct rm_rpc_container_id *out);
/* Splits "host:port". @host: where the host's name is written, of @size bytes. */
void rm_rpc_put_node_id(const char *text, char *host, size_t size, Yarn__NodeId *out);
/* These read ids. They return false when a part is missing. */
bool rm_rpc_get_app_id(const Yarn__AppId *id, struct base_app_id *out);
bool rm_rpc_get_attempt_id(const Yarn__AttemptId *id, struct base_attempt_id *out);
bool rm_rpc_get_container_id(const Yarn__ContainerId *id, struct base_container_id *out);

/* Splits "host:port" and takes the port @hadoop_port in place of that one, unless it is 0. */
void rm_rpc_put_hadoop_node_id(const char *text, int32_t hadoop_port, char *host, size_t size,
                               Yarn__NodeId *out);

/* ---- enumerations: places in YARN's own order, by name ---- */
/* Return the number on the wire; 0 for a name that is not known. */
int32_t rm_rpc_number_app_state(const char *name);
int32_t rm_rpc_number_node_state(const char *name);
/* Return the core's state, or -1 for a number that is not known. */
int rm_rpc_find_app_state(int32_t number);
int rm_rpc_find_node_state(int32_t number);

/* ---- reports ---- */
struct rm_rpc_resource {
    Yarn__Resource resource;
    Yarn__ResourceInfo info[2], *infos[2];
};
void rm_rpc_put_resource(int64_t memory_mb, int64_t vcores, struct rm_rpc_resource *out);

struct rm_rpc_app {
    Yarn__AppReport report;
    Yarn__AppId id;
    struct rm_rpc_attempt_id attempt;
    Yarn__Usage usage;
    struct rm_rpc_resource used, reserved, needed;
    Yarn__Amount amount[4], *amounts[4];
    Yarn__Priority priority;
    Yarn__TimeoutEntry timeout, *timeouts[1];
    Yarn__Timeout lifetime;
    char *tags_text, **tags; /* owned */
    char *proxy_url;         /* owned */
};
/* Fills the report of the application @v, which is @a as a resource. @sees: the caller may see all
 * of it; YARN shows others a part. Free with rm_rpc_app_free(). */
void rm_rpc_put_app(const struct yarn_context *f, const struct rm_app_view *v,
                    const struct yarn_app *a, bool sees, struct rm_rpc_app *out);
void rm_rpc_app_free(struct rm_rpc_app *app);

struct rm_rpc_attempt {
    Yarn__AttemptReport report;
    struct rm_rpc_attempt_id id;
    struct rm_rpc_container_id container;
};
void rm_rpc_put_attempt(const struct rm_attempt_view *v, const struct yarn_attempt_info *a,
                        struct rm_rpc_attempt *out);

struct rm_rpc_container {
    Yarn__ContainerReport report;
    struct rm_rpc_container_id id;
    struct rm_rpc_resource resource;
    Yarn__NodeId node;
    Yarn__Priority priority;
    char host[BASE_NAME_MAX];
};
void rm_rpc_put_container(const struct rm_container_view *v, const struct yarn_container *c,
                          struct rm_rpc_container *out);

struct rm_rpc_node {
    Yarn__NodeReport report;
    Yarn__NodeId id;
    struct rm_rpc_resource used, capability;
    Yarn__Utilization of_containers, of_node;
    char *label, host[BASE_NAME_MAX];
};
void rm_rpc_put_node(const struct rm_node_view *v, const struct yarn_node *n,
                     struct rm_rpc_node *out);

#endif
