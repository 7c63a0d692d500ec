/* nodemanager/daemon/leader_search.h - asks a ResourceManager whether it leads: the request that a
 * look around is made of. When and whom to ask is nodemanager/core/rm_search.h's. */
#ifndef CREEL_NODEMANAGER_DAEMON_LEADER_SEARCH_H
#define CREEL_NODEMANAGER_DAEMON_LEADER_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io/http_client.h"

/* nm_search_leads() of an answer's body. */
bool nm_body_says_leads(const char *text, size_t len, int64_t least);
/* Asks the RM at base address @url. Takes three seconds at most. */
bool nm_ask_if_leads(struct base_http *h, const char *url, int64_t least);

#endif
