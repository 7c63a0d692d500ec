#include "nodemanager/http/routes.h"

#include <string.h>

#include "base/mem.h"

struct api_route *nm_routes_new(size_t *n)
{
    const struct {
        const struct api_route *v;
        size_t n;
    } parts[] = {
#define X(name) {name, name##_n},
        NM_ROUTE_TABLES(X)
#undef X
    };
    struct api_route *all;

    *n = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *n += parts[i].n;
    all = base_realloc_array(NULL, *n, sizeof *all);
    *n = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memcpy(all + *n, parts[i].v, parts[i].n * sizeof *all);
        *n += parts[i].n;
    }
    return all;
}
