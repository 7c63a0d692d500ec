#include "rm/core/admin/hosts.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct rm_listed_host *)a)->name,
                  ((const struct rm_listed_host *)b)->name);
}

static void free_list(struct rm_host_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i].name);
    free(l->v);
    *l = (struct rm_host_list){0};
}

/* Copies @n entries. Keeps one of several entries with the same name. */
static void replace_list_without_duplicates(struct rm_host_list *l,
                                            const struct rm_listed_host *from, size_t n)
{
    size_t kept = 0;

    free_list(l);
    if (!n)
        return;
    l->v = base_realloc_array(NULL, n, sizeof *l->v);
    for (l->n = 0; l->n < n; l->n++) {
        l->v[l->n] = from[l->n];
        l->v[l->n].name = base_strdup(from[l->n].name);
    }
    qsort(l->v, n, sizeof *l->v, compare_names);
    for (size_t i = 0; i < n; i++) {
        if (kept && strcmp(l->v[kept - 1].name, l->v[i].name) == 0)
            free(l->v[i].name);
        else
            l->v[kept++] = l->v[i];
    }
    l->n = kept;
}

void rm_hosts_set(struct rm_hosts *h, const struct rm_host_lists *lists)
{
    static const struct rm_host_lists none = {0};

    lists = lists ? lists : &none;
    replace_list_without_duplicates(&h->include, lists->include, lists->include_n);
    replace_list_without_duplicates(&h->exclude, lists->exclude, lists->exclude_n);
}

void rm_hosts_free(struct rm_hosts *h)
{
    free_list(&h->include);
    free_list(&h->exclude);
}

static const struct rm_listed_host *find_name(const struct rm_host_list *l, const char *name)
{
    const struct rm_listed_host key = {.name = (char *)(uintptr_t)name};

    return l->n && name ? bsearch(&key, l->v, l->n, sizeof *l->v, compare_names) : NULL;
}

static const struct rm_listed_host *find_node(const struct rm_host_list *l, const char *id,
                                              const char *host)
{
    const struct rm_listed_host *of_host = find_name(l, host);

    return of_host ? of_host : find_name(l, id);
}

const struct rm_listed_host *rm_hosts_find_excluded(const struct rm_hosts *h, const char *id,
                                                    const char *host)
{
    return find_node(&h->exclude, id, host);
}

bool rm_hosts_allow(const struct rm_hosts *h, const char *id, const char *host)
{
    return (!h->include.n || find_node(&h->include, id, host)) &&
           !rm_hosts_find_excluded(h, id, host);
}
