/* nodemanager/container/expand.h - makes YARN's replacements in the commands and the environment of
 * a launch context.
 *
 *    <LOG_DIR>      the container's folder for logs
 *    <ADD_OPENS>    options that the Java of this node needs
 *    <CPS>          ":", which separates paths
 *    {{NAME}}       the value of a variable on the node, "" when it has none
 *
 * YARN writes values into a shell script in double quotes, so in values $NAME and ${NAME} are
 * replaced too, and a backslash before one of $ ` " \ is dropped. Nothing else is replaced: a
 * command in a value is not run. Commands are run by a shell, which replaces $NAME itself. */
#ifndef CREEL_NODEMANAGER_CONTAINER_EXPAND_H
#define CREEL_NODEMANAGER_CONTAINER_EXPAND_H

#include <stddef.h>

#include "base/error.h"
#include "base/mem.h"

#define NM_EXPANDED_MAX (128 * 1024 - 1) /* bytes of a text that was expanded */

/* Returns the value of the variable whose name has @len bytes, or NULL. */
typedef const char *nm_lookup_fn(void *user, const char *name, size_t len);

/* What stands for marks. */
struct nm_marks {          /* borrowed */
    const char *log_dir;   /* <LOG_DIR> */
    const char *add_opens; /* <ADD_OPENS>; may be "" */
};
/* Appends the expanded command to @out. Returns 0, or -BASE_ELIMIT above NM_EXPANDED_MAX. */
int nm_expand_command(const char *text, const struct nm_marks *marks, nm_lookup_fn *lookup,
                      void *user, struct base_buf *out, struct base_error *err);
/* Likewise expands the value of a variable. */
int nm_expand_value(const char *text, const struct nm_marks *marks, nm_lookup_fn *lookup,
                    void *user, struct base_buf *out, struct base_error *err);

struct nm_env_list { /* NAME=VALUE; owned */
    char **v;
    size_t len, cap;
};
/* Sets a variable, or replaces its value. */
void nm_env_set(struct nm_env_list *l, const char *name, const char *value);
/* Returns the variable's value, or NULL. */
const char *nm_env_get(const struct nm_env_list *l, const char *name, size_t len);
void nm_env_free(struct nm_env_list *l);

/* Sets in @out the @n variables @env, expanded. A value may name any other variable of @env, in any
 * order. If a variable names itself, directly or through others, the name stands for its value in
 * @fixed, or else in @base; so does a name that @env lacks. Returns 0 or -BASE_ELIMIT. */
int nm_expand_env(const char *const *env, size_t n, const struct nm_marks *marks,
                  const struct nm_env_list *fixed, const struct nm_env_list *base,
                  struct nm_env_list *out, struct base_error *err);

#endif
