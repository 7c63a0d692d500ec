#include "rm/rpc/hosts.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "base/mem.h"

static bool is_same_address(const char *a, const char *b)
{
    unsigned char x[sizeof(struct in6_addr)], y[sizeof(struct in6_addr)];

    for (int i = 0; i < 2; i++) {
        int family = i ? AF_INET6 : AF_INET;

        if (inet_pton(family, a, x) == 1 && inet_pton(family, b, y) == 1)
            return memcmp(x, y, i ? sizeof(struct in6_addr) : sizeof(struct in_addr)) == 0;
    }
    return false;
}

bool rm_rpc_lists_host(const char *hosts, const char *peer)
{
    char *copy = base_strdup(hosts);
    bool found = false;

    for (char *rest = copy, *word; (word = strsep(&rest, ", \t"));)
        found = found || is_same_address(word, peer);
    free(copy);
    return found;
}

bool rm_rpc_refuse_unless_listed(struct api_rpc_call *call, const char *key)
{
    char *why;

    if (api_rpc_is_peer_listed(call))
        return false;
    why = base_printf("%s is not in %s", api_rpc_peer(call), key);
    api_audit_log_call(api_rpc_method_name(call), api_rpc_caller(call), api_rpc_peer(call), "",
                       why);
    api_rpc_answer_error(call, "org.apache.hadoop.security.AccessControlException", "%s", why);
    free(why);
    return true;
}
