#include "base/hadoop/identifiers.h"

#include <stdlib.h>
#include <string.h>

#include "base/crypto/equal.h"
#include "base/hadoop/identifiers.pb-c.h"
#include "base/utf8.h"

enum { TYPE_MASTER = 1, TYPE_TASK = 2, EXECUTION_GUARANTEED = 1 };

/* ---- attempts ---- */

struct attempt_message {
    HadoopId__App app;
    HadoopId__Attempt attempt;
};

static HadoopId__Attempt *fill_attempt(struct attempt_message *m, const struct base_attempt_id *id)
{
    m->app = (HadoopId__App)HADOOP_ID__APP__INIT;
    m->app.has_id = m->app.has_cluster = true;
    m->app.id = id->app.seq;
    m->app.cluster = id->app.cluster_ts;
    m->attempt = (HadoopId__Attempt)HADOOP_ID__ATTEMPT__INIT;
    m->attempt.app = &m->app;
    m->attempt.has_attempt = true;
    m->attempt.attempt = id->attempt;
    return &m->attempt;
}

static bool read_attempt(const HadoopId__Attempt *m, struct base_attempt_id *out)
{
    if (!m || !m->app || !m->app->has_id || !m->app->has_cluster || !m->has_attempt)
        return false;
    *out = (struct base_attempt_id){{m->app->cluster, m->app->id}, m->attempt};
    return true;
}

/* ---- texts ---- */

static bool copy_text(const char *text, char out[static BASE_HADOOP_TEXT_MAX])
{
    size_t len = text ? strlen(text) : 0;

    if (len >= BASE_HADOOP_TEXT_MAX || (len > 0 && !base_utf8_valid(text)))
        return false;
    memcpy(out, text ? text : "", len + 1);
    return true;
}

/* ---- writing ---- */

static void add_packed(const ProtobufCMessage *m, struct base_buf *out)
{
    size_t len = protobuf_c_message_get_packed_size(m);
    uint8_t *bytes = base_alloc(len ? len : 1);

    protobuf_c_message_pack(m, bytes);
    base_buf_add(out, bytes, len);
    free(bytes);
}

void base_hadoop_amrm_id_add(const struct base_hadoop_amrm_id *id, struct base_buf *out)
{
    HadoopId__Amrm m = HADOOP_ID__AMRM__INIT;
    struct attempt_message attempt;

    m.attempt = fill_attempt(&attempt, &id->attempt);
    m.has_key_id = true;
    m.key_id = id->key_id;
    add_packed(&m.base, out);
}

void base_hadoop_nm_id_add(const struct base_hadoop_nm_id *id, struct base_buf *out)
{
    HadoopId__Nm m = HADOOP_ID__NM__INIT;
    HadoopId__Node node = HADOOP_ID__NODE__INIT;
    struct attempt_message attempt;

    node.host = (char *)id->host;
    node.has_port = true;
    node.port = id->port;
    m.attempt = fill_attempt(&attempt, &id->attempt);
    m.node = &node;
    m.submitter = (char *)id->submitter;
    m.has_key_id = true;
    m.key_id = id->key_id;
    add_packed(&m.base, out);
}

/* Memory and processors are said twice: in fields of their own, and as resources with names, which
 * Java writes again in this form. */
struct resource_message {
    HadoopId__Resource resource;
    HadoopId__ResourceInfo memory, vcores, *infos[2];
};

static void fill_resource_info(HadoopId__ResourceInfo *m, const char *key, int64_t value,
                               const char *units)
{
    *m = (HadoopId__ResourceInfo)HADOOP_ID__RESOURCE_INFO__INIT;
    m->key = (char *)key;
    m->has_value = m->has_type = true;
    m->value = value;
    m->units = (char *)units;
}

static HadoopId__Resource *fill_resource(struct resource_message *m, int64_t memory_mb,
                                         int32_t vcores)
{
    m->resource = (HadoopId__Resource)HADOOP_ID__RESOURCE__INIT;
    m->resource.has_memory = m->resource.has_vcores = true;
    m->resource.memory = memory_mb;
    m->resource.vcores = vcores;
    fill_resource_info(&m->memory, "memory-mb", memory_mb, "Mi");
    fill_resource_info(&m->vcores, "vcores", vcores, "");
    m->infos[0] = &m->memory;
    m->infos[1] = &m->vcores;
    m->resource.infos = m->infos;
    m->resource.n_infos = 2;
    return &m->resource;
}

void base_hadoop_container_id_add(const struct base_hadoop_container_id *id, struct base_buf *out)
{
    HadoopId__ContainerToken m = HADOOP_ID__CONTAINER_TOKEN__INIT;
    HadoopId__Container container = HADOOP_ID__CONTAINER__INIT;
    HadoopId__Priority priority = HADOOP_ID__PRIORITY__INIT;
    struct attempt_message attempt;
    struct resource_message resource;

    container.attempt = fill_attempt(&attempt, &id->container.attempt);
    container.has_id = true;
    container.id = id->container.num;
    priority.has_priority = true;
    priority.priority = id->priority;
    m.container = &container;
    m.node = (char *)id->node;
    m.submitter = (char *)id->submitter;
    m.resource = fill_resource(&resource, id->memory_mb, id->vcores);
    m.has_expiry = m.has_key_id = m.has_rm_identifier = m.has_created = true;
    m.expiry = id->expiry_ms;
    m.key_id = id->key_id;
    m.rm_identifier = id->rm_identifier;
    m.priority = &priority;
    m.created = id->created_ms;
    m.label = (char *)id->label;
    m.has_type = m.has_execution = m.has_version = m.has_allocation = true;
    m.type = id->is_master ? TYPE_MASTER : TYPE_TASK;
    m.execution = EXECUTION_GUARANTEED;
    m.allocation = id->allocation;
    add_packed(&m.base, out);
}

/* ---- reading ---- */

/* Returns the message; NULL: it is none, or too long. */
static void *unpack(const ProtobufCMessageDescriptor *type, const void *bytes, size_t len)
{
    return len > BASE_HADOOP_IDENTIFIER_MAX ? NULL
                                            : protobuf_c_message_unpack(type, NULL, len, bytes);
}

static void free_message(void *m)
{
    if (m)
        protobuf_c_message_free_unpacked(m, NULL);
}

bool base_hadoop_amrm_id_read(const void *bytes, size_t len, struct base_hadoop_amrm_id *out)
{
    HadoopId__Amrm *m = unpack(&hadoop_id__amrm__descriptor, bytes, len);
    bool ok = m && read_attempt(m->attempt, &out->attempt);

    if (ok)
        out->key_id = m->key_id;
    free_message(m);
    return ok;
}

bool base_hadoop_nm_id_read(const void *bytes, size_t len, struct base_hadoop_nm_id *out)
{
    HadoopId__Nm *m = unpack(&hadoop_id__nm__descriptor, bytes, len);
    bool ok = m && read_attempt(m->attempt, &out->attempt) && m->node &&
              copy_text(m->node->host, out->host) && copy_text(m->submitter, out->submitter);

    if (ok) {
        out->port = m->node->port;
        out->key_id = m->key_id;
    }
    free_message(m);
    return ok;
}

static bool read_container_texts(const HadoopId__ContainerToken *m,
                                 struct base_hadoop_container_id *out)
{
    return copy_text(m->node, out->node) && copy_text(m->submitter, out->submitter) &&
           copy_text(m->label, out->label);
}

bool base_hadoop_container_id_read(const void *bytes, size_t len,
                                   struct base_hadoop_container_id *out)
{
    HadoopId__ContainerToken *m = unpack(&hadoop_id__container_token__descriptor, bytes, len);
    bool ok = m && m->container && m->container->has_id &&
              read_attempt(m->container->attempt, &out->container.attempt) &&
              read_container_texts(m, out);

    if (ok) {
        out->container.num = m->container->id;
        out->memory_mb = m->resource ? m->resource->memory : 0;
        out->vcores = m->resource ? m->resource->vcores : 0;
        out->expiry_ms = m->expiry;
        out->key_id = m->key_id;
        out->rm_identifier = m->rm_identifier;
        out->priority = m->priority ? m->priority->priority : 0;
        out->created_ms = m->created;
        out->is_master = m->type == TYPE_MASTER;
        out->allocation = m->allocation;
    }
    free_message(m);
    return ok;
}

/* ---- passwords ---- */

void base_hadoop_compute_password(const void *key, size_t key_len, const void *identifier,
                                  size_t len, unsigned char out[static BASE_SHA1_BYTES])
{
    base_hmac_sha1(key, key_len, identifier, len, out);
}

bool base_hadoop_check_password(const void *key, size_t key_len, const void *identifier, size_t len,
                                const void *password, size_t password_len)
{
    unsigned char expected[BASE_SHA1_BYTES];

    base_hadoop_compute_password(key, key_len, identifier, len, expected);
    return password_len == sizeof expected &&
           base_secret_bytes_equal(expected, password, sizeof expected);
}
