/* Prints the routes of both daemons, one a line, for tests that have to know all of them:
 *   rm|nm METHOD PATH READ|WRITE|NODE|MASTER [PRIVATE] [PROBE] [BODY] */
#include <stdio.h>
#include <stdlib.h>

#include "nodemanager/http/routes.h"
#include "rm/http/routes.h"

static void print_routes(const char *daemon, const struct api_route *v, size_t n)
{
    static const char *const roles[] = {[API_ROLE_READ] = "READ",
                                        [API_ROLE_WRITE] = "WRITE",
                                        [API_ROLE_NODE] = "NODE",
                                        [API_ROLE_MASTER] = "MASTER"};

    for (size_t i = 0; i < n; i++)
        printf("%s %s %s %s%s%s%s\n", daemon, v[i].method, v[i].path, roles[v[i].role],
               v[i].flags & API_ROUTE_PRIVATE ? " PRIVATE" : "",
               v[i].flags & API_ROUTE_FOR_ALL ? " FOR_ALL" : "", v[i].body_max ? " BODY" : "");
}

int main(void)
{
    size_t rm_n, nm_n;
    struct api_route *rm = rm_routes_new(&rm_n), *nm = nm_routes_new(&nm_n);

    print_routes("rm", rm, rm_n);
    print_routes("nm", nm, nm_n);
    free(rm);
    free(nm);
    return 0;
}
