/* api/admin/bean.h - the figures of a daemon that monitors read: beans, each with attributes.
 *
 * A kind of bean is described once, by a table: name, type and source of each attribute. The source
 * is a member of a struct that the kind's function fills from the daemon's state. /jmx
 * (api/admin/jmx.h) and /prom (api/admin/prom.h) are both made from these tables.
 *
 *   kind "QueueMetrics" --list()--> one struct for each queue --+--> /jmx: JSON, as Hadoop's
 *                                                               |    JMXJsonServlet writes it
 *                                                               +--> /prom: Prometheus' text
 *
 * SOURCE: Hadoop 3.4.2 as recorded in tests/interop/yarn. */
#ifndef CREEL_API_ADMIN_BEAN_H
#define CREEL_API_ADMIN_BEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

enum api_attribute_type {
    API_ATTR_TAG,    /* const char *; "tag.NAME" in a bean, a label for Prometheus; NULL: null */
    API_ATTR_GAUGE,  /* int64_t */
    API_ATTR_COUNT,  /* int64_t that only grows */
    API_ATTR_FLOAT,  /* double, printed with the digits of a float */
    API_ATTR_DOUBLE, /* double */
    API_ATTR_RATE,   /* struct api_rate: NAMENumOps and NAMEAvgTime */
    /* a figure of YARN without a counterpart in Creel: 0 or false, as where YARN has the feature
     * switched off; the source is not read */
    API_ATTR_NO_GAUGE,
    API_ATTR_NO_COUNT,
    API_ATTR_NO_RATE,
    API_ATTR_PROM_NO_COUNT, /* for Prometheus alone */
    /* the rest is not for Prometheus */
    API_ATTR_TEXT,  /* const char *; NULL: null */
    API_ATTR_BOOL,  /* bool */
    API_ATTR_USAGE, /* struct api_memory_usage */
    API_ATTR_LONGS, /* struct api_longs */
    API_ATTR_TEXTS, /* struct api_texts */
};
struct api_rate {
    int64_t ops;
    double average; /* milliseconds */
};
struct api_memory_usage { /* bytes; -1: undefined */
    int64_t committed, init, max, used;
};
struct api_longs {
    const int64_t *v;
    size_t n;
};
struct api_texts {
    const char *const *v;
    size_t n;
};

struct api_attribute {
    const char *name;
    enum api_attribute_type type;
    size_t at;     /* offset of the source in the kind's struct */
    unsigned when; /* bits that a bean must have for the attribute to be shown; 0: always */
};
#define API_ATTRIBUTE(struct_name, name, type, member)                                             \
    {                                                                                              \
        name, type, offsetof(struct struct_name, member), 0                                        \
    }

struct api_bean_sink; /* where the beans go: JSON or Prometheus' text */

struct api_bean_kind;
struct api_server;
struct api_rpc_figures; /* api/admin/call_beans.h */
typedef void api_rpc_add(const struct api_rpc_figures *f, void *u);
/* What a daemon shows. */
struct api_bean_service {
    const char *name;                         /* "ResourceManager" */
    const char *prefix;                       /* "Hadoop:service=ResourceManager,name=" */
    const struct api_bean_kind *const *kinds; /* ends with NULL */
    void *user;                               /* the daemon, for the kinds' functions */
    struct api_server *server;                /* its HTTP server; NULL: none is running */
    /* Calls @add for each of YARN's RPC services, with the figures of the requests that correspond
     * to the service's calls. NULL: there are none. */
    void (*each_rpc)(const struct api_bean_service *service, api_rpc_add *add, void *u);
};

struct api_bean_kind {
    /* Everything in a bean's name before the kind, "java.lang:type="; it ends with "name=" or
     * "type=". NULL: the service's. */
    const char *prefix;
    const char *name; /* "QueueMetrics" */
    /* modelerType; NULL: what follows the prefix. Only kinds with NULL are shown by /prom, as only
     * these are metrics records of Hadoop. */
    const char *java_class;
    const char *record; /* the record's name for Prometheus; NULL: @name */
    const struct api_attribute *attributes;
    size_t n;
    /* Calls api_bean_add_if_wanted() for each bean of the kind. */
    void (*list)(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                 const struct api_bean_service *service);
};
/* A table's attributes and their number, for the initializer of a kind. */
#define API_ATTRIBUTES(table) .attributes = (table), .n = sizeof(table) / sizeof *(table)

/* Adds one bean. @tail: what follows the kind's prefix in the bean's name, "QueueMetrics,q0=root"
 * (NULL: the kind's name). @bits: which conditional attributes (api_attribute.when) the bean has.
 * @source: the kind's struct, borrowed for the call. */
void api_bean_add_if_wanted(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                            const char *tail, unsigned bits, const void *source);
/* Returns true when the sink would take a bean with this name; saves filling beans that are not
 * wanted. */
bool api_bean_is_wanted(const struct api_bean_kind *kind, const struct api_bean_sink *sink,
                        const char *tail);

/* Returns the name of this machine, for tag.Hostname. */
const char *api_bean_get_host_name(void);

/* ---- for the files that encode beans: api/admin/jmx.c, api/admin/prom.c ---- */
struct api_bean_sink {
    /* Returns true when a bean with this name is to be added. */
    bool (*wants)(const struct api_bean_sink *sink, const struct api_bean_kind *kind,
                  const char *tail);
    void (*add)(struct api_bean_sink *sink, const struct api_bean_kind *kind, const char *tail,
                unsigned bits, const void *source);
};

#endif
