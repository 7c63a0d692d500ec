#include "rm/http/nodes/node_ids.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As NodeId.fromString() does, with 0 for a missing port. */
bool yarn_parse_node_or_host(struct api_request *rq, const char *given,
                             char id[static YARN_NODE_ID_MAX])
{
    size_t host_len = strcspn(given, ":");
    const char *port = given[host_len] ? given + host_len + 1 : "0";
    char *end;
    long number;

    if (!host_len || !*port || strchr(port, ':') || strlen(given) > YARN_NODE_ID_MAX - 24) {
        api_answer_error(rq, 400, "IllegalArgumentException",
                         "Invalid NodeId [%.500s]. Expected host:port", given);
        return false;
    }
    errno = 0;
    number = strtol(port, &end, 10);
    if (*end || errno || isspace((unsigned char)*port) || number < INT32_MIN ||
        number > INT32_MAX) {
        api_answer_error(rq, 400, "IllegalArgumentException", "Invalid port: %s", port);
        return false;
    }
    snprintf(id, YARN_NODE_ID_MAX, "%.*s:%ld", (int)host_len, given, number);
    return true;
}
