/* rm/rpc/master_put.c - containers with their tokens, and changed nodes, as messages for
 * masters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hadoop/identifiers.h"
#include "rm/rpc/master.h"

#define GUARANTEED 1

#define PUT(message, member, value) ((message)->has_##member = true, (message)->member = (value))

static void put_token(const struct rm_master_key *key, const char *kind, const char *address,
                      const struct base_buf *identifier, unsigned char *password,
                      Master__Token *out)
{
    base_hadoop_compute_password(key->bytes, sizeof key->bytes, identifier->data, identifier->len,
                                 password);
    master__token__init(out);
    out->identifier = (ProtobufCBinaryData){identifier->len, (uint8_t *)identifier->data};
    out->password = (ProtobufCBinaryData){BASE_SHA1_BYTES, password};
    out->kind = (char *)kind;
    out->service = (char *)address;
}

static bool fits_in_token(const char *text)
{
    return strlen(text) < BASE_HADOOP_TEXT_MAX;
}

/* @text must fit. */
static void copy_text(const char *text, char out[static BASE_HADOOP_TEXT_MAX])
{
    memcpy(out, text, strlen(text) + 1);
}

static void put_container_token(const struct rm_allocated *a, const struct rm_token_basis *basis,
                                int64_t lifetime_ms, struct rm_rpc_granted *out)
{
    const struct rm_master_key *key =
        a->is_hadoop ? basis->hadoop_container_key : basis->container_key;
    struct base_hadoop_container_id id = {.container = a->id,
                                          .memory_mb = a->capability.v[RM_RES_MEMORY_MB],
                                          .vcores = (int32_t)a->capability.v[RM_RES_VCORES],
                                          .expiry_ms = a->created_us / 1000 + lifetime_ms,
                                          .key_id = key->id,
                                          .rm_identifier = basis->rm_instance_ms,
                                          .priority = a->priority,
                                          .created_ms = a->created_us / 1000,
                                          .allocation = a->allocation_request_id};

    copy_text(out->address, id.node);
    copy_text(basis->user, id.submitter);
    base_hadoop_container_id_add(&id, &out->identifier);
    put_token(key, BASE_HADOOP_CONTAINER_KIND, out->address, &out->identifier, out->password,
              &out->token);
    out->container.token = &out->token;
}

static void put_nm_token(const struct rm_allocated *a, const struct rm_token_basis *basis,
                         struct rm_rpc_granted *out)
{
    const struct rm_master_key *key = a->is_hadoop ? basis->hadoop_nm_key : basis->nm_key;
    struct base_hadoop_nm_id id = {
        .attempt = a->id.attempt, .port = a->hadoop_port, .key_id = key->id};

    copy_text(out->host, id.host);
    copy_text(basis->user, id.submitter);
    base_hadoop_nm_id_add(&id, &out->nm_identifier);
    put_token(key, BASE_HADOOP_NM_KIND, out->address, &out->nm_identifier, out->nm_password,
              &out->nm_token);
    master__nm_token__init(&out->node_token);
    out->node_token.node = &out->node;
    out->node_token.token = &out->nm_token;
}

void rm_rpc_put_granted(const struct rm_allocated *a, const struct rm_token_basis *basis,
                        int64_t lifetime_ms, struct rm_rpc_granted *out)
{
    Master__Container *c = &out->container;

    master__container__init(c);
    rm_rpc_put_container_id(&a->id, &out->id);
    rm_rpc_put_hadoop_node_id(a->node_id, a->hadoop_port, out->host, sizeof out->host, &out->node);
    snprintf(out->address, sizeof out->address, "%s:%d", out->host, out->node.port);
    rm_rpc_put_resource(a->capability.v[RM_RES_MEMORY_MB], a->capability.v[RM_RES_VCORES],
                        &out->resource);
    yarn__priority__init(&out->priority);
    PUT(&out->priority, priority, a->priority);
    c->id = &out->id.id;
    c->node = &out->node;
    c->http = (char *)a->node_http;
    c->resource = &out->resource.resource;
    c->priority = &out->priority;
    PUT(c, execution_type, GUARANTEED);
    PUT(c, allocation_request_id, a->allocation_request_id);
    out->identifier = out->nm_identifier = (struct base_buf){0};
    /* A name that is cut would be another user's: such a container cannot be started. */
    if (!basis->nm_key || !a->hadoop_port || !fits_in_token(basis->user) ||
        !fits_in_token(out->address))
        return;
    put_container_token(a, basis, lifetime_ms, out);
    put_nm_token(a, basis, out);
}

void rm_rpc_granted_free(struct rm_rpc_granted *g)
{
    base_buf_free(&g->identifier);
    base_buf_free(&g->nm_identifier);
}

void rm_rpc_put_amrm_token(const struct base_attempt_id *attempt, const struct rm_master_key *key,
                           struct rm_rpc_amrm_token *out)
{
    const struct base_hadoop_amrm_id id = {.attempt = *attempt, .key_id = key->id};

    out->identifier = (struct base_buf){0};
    base_hadoop_amrm_id_add(&id, &out->identifier);
    put_token(key, BASE_HADOOP_AMRM_KIND, "", &out->identifier, out->password, &out->token);
}

void rm_rpc_amrm_token_free(struct rm_rpc_amrm_token *t)
{
    base_buf_free(&t->identifier);
}

void rm_rpc_put_changed_node(const struct rm_changed_node *n, struct rm_rpc_changed_node *out)
{
    Yarn__NodeReport *r = &out->report;

    yarn__node_report__init(r);
    rm_rpc_put_hadoop_node_id(n->id, n->hadoop_port, out->host, sizeof out->host, &out->id);
    rm_rpc_put_resource(n->used.v[RM_RES_MEMORY_MB], n->used.v[RM_RES_VCORES], &out->used);
    rm_rpc_put_resource(n->total.v[RM_RES_MEMORY_MB], n->total.v[RM_RES_VCORES], &out->capability);
    r->id = &out->id;
    r->http_address = (char *)n->http;
    r->rack = (char *)n->rack;
    r->used = &out->used.resource;
    r->capability = &out->capability.resource;
    PUT(r, containers, n->containers);
    PUT(r, state, rm_rpc_number_node_state(rm_node_state_name(n->state)));
    r->health = (char *)(n->health_report ? n->health_report : "");
}
