#include "sim/text_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void sim_list_add(struct sim_list *l, const char *text, size_t len)
{
    base_array_grow(&l->v, l->n, &l->cap);
    l->v[l->n++] = base_strndup(text, len);
}

bool sim_list_add_comma_separated(struct sim_list *l, const char *text)
{
    for (;;) {
        size_t len = strcspn(text, ",");
        if (!len)
            return false;
        sim_list_add(l, text, len);
        if (!text[len])
            return true;
        text += len + 1;
    }
}

void sim_list_free(struct sim_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
    *l = (struct sim_list){0};
}
