#include "api/rpc/slow.h"

#include <stdlib.h>
#include <uthash.h>

#include "base/error.h"
#include "base/mem.h"

struct api_rpc_slow {
    struct in6_addr peer;
    unsigned n;
    UT_hash_handle hh;
};

static struct api_rpc_slow *find_peer(struct api_rpc_slow *table, const struct in6_addr *peer)
{
    struct api_rpc_slow *found;

    HASH_FIND(hh, table, peer, sizeof *peer, found);
    return found;
}

bool api_rpc_slow_begin(struct api_rpc_slow **table, const struct in6_addr *peer)
{
    struct api_rpc_slow *s = find_peer(*table, peer);

    if (!s) {
        s = base_alloc(sizeof *s);
        s->peer = *peer;
        HASH_ADD(hh, *table, peer, sizeof s->peer, s);
    }
    if (s->n == API_RPC_SLOW_MAX)
        return false;
    s->n++;
    return true;
}

void api_rpc_slow_end(struct api_rpc_slow **table, const struct in6_addr *peer)
{
    struct api_rpc_slow *s = find_peer(*table, peer);

    base_assert(s != NULL);
    if (--s->n > 0)
        return;
    HASH_DEL(*table, s);
    free(s);
}
