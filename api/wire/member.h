/* api/wire/member.h - a message between Creel's own daemons as a table of members, from which it is
 * both written and read. One table per struct, so a name is spelled once and sender and receiver
 * cannot differ. Names are camelCase.
 *
 * Reading ignores members that the table does not have, since a newer peer of the same major
 * version may send more. A member of the wrong type or beyond its bounds is refused by name, and so
 * is a required one that is missing; any other missing member leaves the struct's value as it was.
 * Only files of this folder have such tables. */
#ifndef CREEL_API_WIRE_MEMBER_H
#define CREEL_API_WIRE_MEMBER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

/* The type of a member's field in the struct. */
enum wire_type {
    WIRE_TEXT,         /* const char *, borrowed from the tree when read; NULL is written as "" */
    WIRE_INT32,        /* int32_t */
    WIRE_INT64,        /* int64_t */
    WIRE_SHARE,        /* double from 0 to 1, with four decimals */
    WIRE_BOOL,         /* bool */
    WIRE_WORD,         /* an enum from 0 on, written as one of the words */
    WIRE_CONTAINER_ID, /* struct base_container_id */
    WIRE_APP_ID,       /* struct base_app_id */
};
struct wire_member {
    const char *name;
    const char *key; /* ,"name": */
    size_t key_len, offset;
    int64_t min, max; /* bounds of a number; of a text, max is its greatest length in bytes */
    const char *const *words;
    enum wire_type type;
    bool required;
    bool sparse; /* not written when 0, false or NULL */
};

/* Rows of a table for struct @T; the table ends with WIRE_END. @when: WIRE_R, written always and
 * required when read; WIRE_D, written always, and optional when read; WIRE_S, written unless 0,
 * false or NULL, and optional when read. */
#define WIRE_ROW(T, f, n, t, ...)                                                                  \
    {                                                                                              \
        .name = n, .key = ",\"" n "\":", .key_len = sizeof n + 3, .offset = offsetof(T, f),        \
        .type = t, __VA_ARGS__                                                                     \
    }
#define WIRE_R                                .required = true
#define WIRE_D                                .required = false
#define WIRE_S                                .sparse = true
#define WIRE_TEXT_ROW(T, f, n, when, longest) WIRE_ROW(T, f, n, WIRE_TEXT, when, .max = longest)
#define WIRE_INT32_ROW(T, f, n, when, least, most)                                                 \
    WIRE_ROW(T, f, n, WIRE_INT32, when, .min = least, .max = most)
#define WIRE_INT64_ROW(T, f, n, when, least, most)                                                 \
    WIRE_ROW(T, f, n, WIRE_INT64, when, .min = least, .max = most)
#define WIRE_SHARE_ROW(T, f, n, when)     WIRE_ROW(T, f, n, WIRE_SHARE, when)
#define WIRE_BOOL_ROW(T, f, n, when)      WIRE_ROW(T, f, n, WIRE_BOOL, when)
#define WIRE_WORD_ROW(T, f, n, when, w)   WIRE_ROW(T, f, n, WIRE_WORD, when, .words = w)
#define WIRE_CONTAINER_ROW(T, f, n, when) WIRE_ROW(T, f, n, WIRE_CONTAINER_ID, when)
#define WIRE_APP_ROW(T, f, n, when)       WIRE_ROW(T, f, n, WIRE_APP_ID, when)
#define WIRE_END                                                                                   \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* Appends the members of @from to @out: to an object that was opened with '{'. */
void wire_members_put(const struct wire_member *table, const void *from, struct base_buf *out);
/* Reads the members of object @obj into @to. @where: prefix of a member's name in errors, as in
 * base/io/json.h. Returns 0, or a negative BASE_E* when @obj is not an object or a member is
 * refused. */
int wire_members_get(const struct wire_member *table, const json_t *obj, const char *where,
                     void *to, struct base_error *err);
/* The same for @obj, element @i of the array called @list. */
int wire_members_get_element(const struct wire_member *table, const json_t *obj, const char *list,
                             size_t i, void *to, struct base_error *err);
/* Reads what a job's own commands may have written, refusing nothing: a member that
 * wire_members_get() would refuse counts as missing, a share below 0 as 0 and one above 1 as 1. */
void wire_members_get_tolerantly(const struct wire_member *table, const json_t *obj, void *to);
/* Parses @text, which must be an object. Returns 0 or a negative BASE_E*. The caller owns *out,
 * also after an error. */
int wire_parse_object(const char *text, size_t len, json_t **out, struct base_error *err);

/* Appends an object that consists of the members in @table. */
void wire_object_put(const struct wire_member *table, const void *from, struct base_buf *out);
/* Parses @text, an object, and reads the members in @table. Returns 0 or a negative BASE_E*. The
 * caller owns *root, also after an error; texts that were read point into *root. */
int wire_object_get(const struct wire_member *table, const char *text, size_t len, json_t **root,
                    void *to, struct base_error *err);
/* The same for a message without texts and lists, which need not keep its JSON. */
int wire_object_get_without_texts(const struct wire_member *table, const char *text, size_t len,
                                  void *to, struct base_error *err);

extern const char *const wire_kind_words[]; /* of enum base_task_kind */

#endif
