/* api/yarn/shape.h - describes each YARN resource once, as a table of members, from which both JSON
 * dialects and XML are encoded. Source: recordings of YARN 3.4.2 in tests/interop/yarn.
 *
 * A shape describes a plain C view struct by offsets:
 *
 *   static const struct api_member node_members[] = {
 *       API_STR(struct yarn_node, rack, "rack", API_ALWAYS),
 *       API_I64(struct yarn_node, last_health_ms, "lastHealthUpdate", API_ALWAYS),
 *       API_OBJ(struct yarn_node, total, "totalResource", &shape_resource, API_ALWAYS),
 *       { 0 } };
 *   const struct api_shape yarn_shape_node = { "node", node_members }; */
#ifndef CREEL_API_YARN_SHAPE_H
#define CREEL_API_YARN_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* The forms in which YARN shows a resource. N: JSON with numbers and truth values; wrapped: inside
 * {"root": }. M: JSON with every scalar as a string, the item itself in place of a list of one
 * item, and null in place of an empty object. */
enum api_dialect { API_N_WRAPPED, API_N_BARE, API_M_BARE, API_XML_DOC };
enum api_kind {
    API_K_END,
    API_K_STR, /* const char *; NULL = absent */
    API_K_I32,
    API_K_I64,
    API_K_F32, /* float, in Java's shortest form */
    API_K_F64,
    API_K_BOOL,
    API_K_OBJ,    /* struct embedded at offset */
    API_K_OBJPTR, /* pointer to struct; NULL = absent */
    /* struct api_list embedded: objects of one shape, each encoded under the member's name */
    API_K_LIST,
    API_K_STRLIST, /* struct api_list of const char * */
    API_K_MAP,     /* struct api_list of struct api_pair: encoded as "entry" members */
    API_K_ANYLIST, /* struct api_list of struct api_any: as LIST, but each item has its own shape */
};
enum api_presence {
    API_ALWAYS,   /* NULL strings and objects and empty lists (but not maps) are absent anyway */
    API_NONEMPTY, /* absent when zero, empty or false */
};
struct api_shape;
struct api_member {
    enum api_kind kind;
    uint16_t json_name_len; /* without the terminating null */
    const char *name;
    const char *json_name; /* ,"name": as it stands before a value in JSON */
    size_t offset;
    const struct api_shape *shape; /* OBJ, OBJPTR, LIST */
    enum api_presence presence;
};
struct api_shape {
    const char *root; /* XML root element and N-wrapped key; NULL: never a whole document */
    const struct api_member *members; /* ends with kind API_K_END */
    const char *xsi_type; /* polymorphic: JSON first member "type", XML xsi:type; else NULL */
    /* Returns true only for two views that are encoded alike. NULL: not known. Given for objects
     * that repeat within a document: the text of one is then copied. */
    bool (*is_equal)(const void *a, const void *b);
};
struct api_list {
    const void *items;
    size_t n, stride;
};
struct api_pair {
    const char *key, *value;
};
struct api_any {
    const struct api_shape *shape;
    const void *view;
};

/* Rows of a table for struct @T: member @f is called @n, a string literal. @s: shape of the object
 * or of the items, @p: presence. */
#define API_MEMBER(kind, T, f, n, s, p)                                                            \
    {                                                                                              \
        kind, sizeof(",\"" n "\":") - 1, n, ",\"" n "\":", offsetof(T, f), s, p                    \
    }
#define API_STR(T, f, n, p)       API_MEMBER(API_K_STR, T, f, n, NULL, p)
#define API_I32(T, f, n, p)       API_MEMBER(API_K_I32, T, f, n, NULL, p)
#define API_I64(T, f, n, p)       API_MEMBER(API_K_I64, T, f, n, NULL, p)
#define API_F32(T, f, n, p)       API_MEMBER(API_K_F32, T, f, n, NULL, p)
#define API_F64(T, f, n, p)       API_MEMBER(API_K_F64, T, f, n, NULL, p)
#define API_BOOL(T, f, n, p)      API_MEMBER(API_K_BOOL, T, f, n, NULL, p)
#define API_OBJ(T, f, n, s, p)    API_MEMBER(API_K_OBJ, T, f, n, s, p)
#define API_OBJPTR(T, f, n, s, p) API_MEMBER(API_K_OBJPTR, T, f, n, s, p)
#define API_LIST(T, f, n, s, p)   API_MEMBER(API_K_LIST, T, f, n, s, p)
#define API_STRLIST(T, f, n, p)   API_MEMBER(API_K_STRLIST, T, f, n, NULL, p)
#define API_MAP(T, f, n, p)       API_MEMBER(API_K_MAP, T, f, n, NULL, p)
#define API_ANYLIST(T, f, n, p)   API_MEMBER(API_K_ANYLIST, T, f, n, NULL, p)

/* Appends the whole document of @view (XML with its declaration). */
void api_shape_encode_document(const struct api_shape *shape, enum api_dialect dialect,
                               const void *view, struct base_buf *out);
/* Encode a long list in chunks: open the list, add each item with its index from 0, close the list
 * with the number of items (dialect API_N_WRAPPED or API_XML_DOC). */
void api_shape_open_list(const char *root, const char *item, enum api_dialect dialect,
                         struct base_buf *out);
void api_shape_add_list_item(const char *item, const struct api_shape *shape,
                             enum api_dialect dialect, const void *view, size_t index,
                             struct base_buf *out);
void api_shape_close_list(const char *root, enum api_dialect dialect, size_t items_n,
                          struct base_buf *out);

/* Appends @s as the text of an XML element, escaped. */
void api_xml_add_text(struct base_buf *out, const char *s);
/* most bytes of a number as Java prints it: "-1.7976931348623157E308" has 23 */
#define API_JAVA_FLOAT_MAX 32
/* Writes @v as Java prints it: Float.toString() with @is_float, else Double.toString(). Returns the
 * length; no NUL is written. */
size_t api_java_format_float(char out[static API_JAVA_FLOAT_MAX], double v, bool is_float);
/* Appends the same. */
void api_java_add_float(struct base_buf *out, double v, bool is_float);

#endif
