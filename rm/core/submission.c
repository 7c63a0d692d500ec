/* Submissions with atomic reference counts, so that views and encoders can hold them outside the
 * core's thread. */
#include <stdlib.h>

#include "rm/core/types.h"

/* Drops a reference. Returns true when none is left. */
static bool drop_ref_was_last(int *refs)
{
    int left = __atomic_sub_fetch(refs, 1, __ATOMIC_ACQ_REL);

    base_assert(left >= 0);
    return left == 0;
}

static void list_free(struct rm_str_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
}

struct rm_job_spec *rm_job_spec_ref(struct rm_job_spec *s)
{
    if (s)
        __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

static void free_splits(struct rm_job_spec *s)
{
    list_free(&s->paths);
    for (size_t i = 0; i < s->splits_n; i++)
        list_free(&s->splits[i].hosts);
    free(s->splits);
    free(s->near);
}

void rm_job_spec_unref(struct rm_job_spec *s)
{
    if (!s || !drop_ref_was_last(&s->refs))
        return;
    free(s->name);
    free(s->user);
    free(s->queue);
    list_free(&s->user_groups);
    free(s->map);
    free(s->combine);
    free(s->reduce);
    free(s->output);
    free(s->acl_view);
    free(s->acl_modify);
    list_free(&s->input);
    free_splits(s);
    list_free(&s->env);
    for (size_t i = 0; i < s->groups_n; i++) {
        free(s->groups[i].command);
        list_free(&s->groups[i].hosts);
    }
    free(s->groups);
    free(s->json);
    free(s);
}

void rm_job_spec_drop_splits(struct rm_job_spec *s)
{
    if (__atomic_load_n(&s->refs, __ATOMIC_ACQUIRE) != 1)
        return; /* a view holds the spec too: the lists are freed with it */
    free_splits(s);
    s->paths = (struct rm_str_list){0};
    s->splits = NULL;
    s->splits_n = 0;
    s->near = NULL;
    s->near_n = 0;
}

void rm_split_page_clear(struct rm_split_page *p)
{
    list_free(&p->paths);
    for (size_t i = 0; i < p->splits_n; i++)
        list_free(&p->splits[i].hosts);
    free(p->splits);
    *p = (struct rm_split_page){0};
}

void rm_split_page_free(struct rm_split_page *p)
{
    if (!p)
        return;
    rm_split_page_clear(p);
    free(p);
}

static struct rm_str_list copy_list(const struct rm_str_list *l)
{
    struct rm_str_list copy = {base_realloc_array(NULL, l->n + 1, sizeof *copy.v), l->n};

    for (size_t i = 0; i < l->n; i++)
        copy.v[i] = base_strdup(l->v[i]);
    return copy;
}

/* A job with input has no explicit tasks, and only simulations know anything of its tasks. */
struct rm_job_spec *rm_job_spec_copy_with_splits(const struct rm_job_spec *s,
                                                 struct rm_split_page *page)
{
    struct rm_job_spec *copy = base_alloc(sizeof *copy);

    base_assert(!s->groups_n && !s->near_n);
    *copy = *s;
    copy->refs = 1;
    copy->name = base_strdup(s->name);
    copy->user = base_strdup(s->user);
    copy->queue = base_strdup(s->queue);
    copy->map = base_strdup(s->map);
    copy->combine = base_strdup(s->combine);
    copy->reduce = base_strdup(s->reduce);
    copy->output = base_strdup(s->output);
    copy->acl_view = base_strdup(s->acl_view);
    copy->acl_modify = base_strdup(s->acl_modify);
    copy->json = base_strdup(s->json);
    copy->input = copy_list(&s->input);
    copy->user_groups = copy_list(&s->user_groups);
    copy->env = copy_list(&s->env);
    copy->paths = page->paths;
    copy->splits = page->splits;
    copy->splits_n = page->splits_n;
    free(page);
    return copy;
}

struct rm_launch *rm_launch_ref(struct rm_launch *l)
{
    if (l)
        __atomic_add_fetch(&l->refs, 1, __ATOMIC_RELAXED);
    return l;
}

void rm_launch_unref(struct rm_launch *l)
{
    if (!l || !drop_ref_was_last(&l->refs))
        return;
    list_free(&l->commands);
    list_free(&l->env);
    for (size_t i = 0; i < l->resources_n; i++) {
        free(l->resources[i].name);
        free(l->resources[i].url);
        free(l->resources[i].pattern);
    }
    free(l->resources);
    free(l->credentials);
    free(l->shuffle_data);
    free(l->json);
    free(l);
}

struct rm_app_spec *rm_app_spec_ref(struct rm_app_spec *s)
{
    if (s)
        __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

void rm_app_spec_unref(struct rm_app_spec *s)
{
    if (!s || !drop_ref_was_last(&s->refs))
        return;
    free(s->name);
    free(s->user);
    free(s->queue);
    free(s->type);
    list_free(&s->user_groups);
    list_free(&s->tags);
    free(s->label);
    free(s->am_label);
    free(s->acl_view);
    free(s->acl_modify);
    rm_launch_unref(s->launch);
    free(s->log_include);
    free(s->log_exclude);
    free(s->json);
    free(s);
}
