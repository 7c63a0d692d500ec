#include "nodemanager/container/expand.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of variables ---- */

static char **find_variable(const struct nm_env_list *l, const char *name, size_t len)
{
    for (size_t i = 0; i < l->len; i++)
        if (strncmp(l->v[i], name, len) == 0 && l->v[i][len] == '=')
            return &l->v[i];
    return NULL;
}

const char *nm_env_get(const struct nm_env_list *l, const char *name, size_t len)
{
    char **entry = find_variable(l, name, len);

    return entry ? *entry + len + 1 : NULL;
}

void nm_env_set(struct nm_env_list *l, const char *name, const char *value)
{
    char **entry = find_variable(l, name, strlen(name));
    char *text = base_printf("%s=%s", name, value);

    if (entry) {
        free(*entry);
        *entry = text;
        return;
    }
    base_array_grow(&l->v, l->len, &l->cap);
    l->v[l->len++] = text;
}

void nm_env_free(struct nm_env_list *l)
{
    for (size_t i = 0; i < l->len; i++)
        free(l->v[i]);
    free(l->v);
    memset(l, 0, sizeof *l);
}

/* ---- expansion ---- */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Returns the length of the variable's name at the beginning of @text, 0 for none. */
static size_t variable_name_length(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return isdigit((unsigned char)text[0]) ? 0 : n;
}

/* Recognises a reference to a variable at @text. Returns its length, 0 for none, and sets the
 * name. */
static size_t parse_reference(const char *text, bool shell, const char **name, size_t *len)
{
    const char *open = starts_with(text, "{{")            ? "{{"
                       : shell && starts_with(text, "${") ? "${"
                       : shell && *text == '$'            ? "$"
                                                          : NULL;
    const char *close = !open || open[1] == '\0' ? "" : open[0] == '{' ? "}}" : "}";

    if (!open)
        return 0;
    *name = text + strlen(open);
    *len = variable_name_length(*name);
    if (*len == 0 || !starts_with(*name + *len, close))
        return 0;
    return strlen(open) + *len + strlen(close);
}

/* Recognises a mark at @text. Returns its length, 0 for none, and sets what stands for it. */
static size_t parse_mark(const char *text, const struct nm_marks *marks, const char **value)
{
    const struct {
        const char *mark, *value;
    } known[] = {{"<LOG_DIR>", marks->log_dir}, {"<ADD_OPENS>", marks->add_opens}, {"<CPS>", ":"}};

    for (size_t i = 0; *text == '<' && i < sizeof known / sizeof *known; i++)
        if (starts_with(text, known[i].mark)) {
            *value = known[i].value;
            return strlen(known[i].mark);
        }
    return 0;
}

static int expand(const char *text, bool shell, const struct nm_marks *marks, nm_lookup_fn *lookup,
                  void *user, struct base_buf *out, struct base_error *err)
{
    size_t begin = out->len;

    while (*text) {
        size_t len, n = strcspn(text, "<{$\\");
        const char *name, *value;

        base_buf_add(out, text, n);
        text += n;
        if (out->len - begin > NM_EXPANDED_MAX)
            return base_error_set(err, -BASE_ELIMIT, "becomes longer than %d bytes",
                                  NM_EXPANDED_MAX);
        if (*text == '\0') {
            break;
        } else if ((n = parse_mark(text, marks, &value)) > 0) {
            base_buf_adds(out, value);
            text += n;
        } else if (shell && *text == '\\' && text[1] && strchr("$`\"\\", text[1])) {
            base_buf_add(out, text + 1, 1);
            text += 2;
        } else if ((n = parse_reference(text, shell, &name, &len)) > 0) {
            value = lookup(user, name, len);
            base_buf_adds(out, value ? value : "");
            text += n;
        } else {
            base_buf_add(out, text++, 1);
        }
    }
    if (out->len - begin > NM_EXPANDED_MAX)
        return base_error_set(err, -BASE_ELIMIT, "becomes longer than %d bytes", NM_EXPANDED_MAX);
    return 0;
}

int nm_expand_command(const char *text, const struct nm_marks *marks, nm_lookup_fn *lookup,
                      void *user, struct base_buf *out, struct base_error *err)
{
    int rc = expand(text, false, marks, lookup, user, out, err);

    return rc < 0 ? base_error_wrap(err, rc, "the command") : 0;
}

int nm_expand_value(const char *text, const struct nm_marks *marks, nm_lookup_fn *lookup,
                    void *user, struct base_buf *out, struct base_error *err)
{
    return expand(text, true, marks, lookup, user, out, err);
}

/* ---- environments ---- */

enum progress { NOT_YET, BEGUN, DONE };
struct env_work {
    const char *const *env;
    enum progress *progress;
    size_t n;
    const struct nm_marks *marks;
    const struct nm_env_list *fixed, *base;
    struct nm_env_list *out;
    struct base_error *err;
    int rc;
};

static void expand_variable(struct env_work *w, size_t i);

/* Looks up a variable for a value. Each variable is expanded once, before the first that names it,
 * so that the work is bounded by the size of the result. */
static const char *look_up_expanded(void *user, const char *name, size_t len)
{
    struct env_work *w = user;
    const char *value;

    for (size_t i = 0; i < w->n; i++) {
        if (strncmp(w->env[i], name, len) != 0 || w->env[i][len] != '=')
            continue;
        if (w->progress[i] == NOT_YET)
            expand_variable(w, i);
        if (w->progress[i] == DONE)
            return nm_env_get(w->out, name, len);
    }
    value = nm_env_get(w->fixed, name, len);
    return value ? value : nm_env_get(w->base, name, len);
}

static void expand_variable(struct env_work *w, size_t i)
{
    struct base_buf value = {0};
    size_t len = strcspn(w->env[i], "=");
    char *name = base_strndup(w->env[i], len);

    w->progress[i] = BEGUN;
    if (w->rc == 0) {
        struct base_error err = {0}; /* expansion may fail in a variable that this value names */
        int rc = nm_expand_value(w->env[i] + len + 1, w->marks, look_up_expanded, w, &value, &err);

        if (rc < 0 && w->rc == 0)
            w->rc = base_error_set(w->err, rc, "environment: %.200s %s", name, err.text);
    }
    nm_env_set(w->out, name, value.data ? value.data : "");
    w->progress[i] = DONE;
    base_buf_free(&value);
    free(name);
}

int nm_expand_env(const char *const *env, size_t n, const struct nm_marks *marks,
                  const struct nm_env_list *fixed, const struct nm_env_list *base,
                  struct nm_env_list *out, struct base_error *err)
{
    struct env_work w = {.env = env,
                         .progress = base_alloc(n * sizeof *w.progress),
                         .n = n,
                         .marks = marks,
                         .fixed = fixed,
                         .base = base,
                         .out = out,
                         .err = err};

    for (size_t i = 0; i < n; i++)
        if (w.progress[i] == NOT_YET)
            expand_variable(&w, i);
    free(w.progress);
    return w.rc;
}
