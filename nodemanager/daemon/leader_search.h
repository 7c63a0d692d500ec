/* nodemanager/daemon/leader_search.h - asks a ResourceManager whether it leads.
 * nodemanager/core/rm_search.h decides when this is done, and which RMs are asked. */
#ifndef CREEL_NODEMANAGER_DAEMON_LEADER_SEARCH_H
#define CREEL_NODEMANAGER_DAEMON_LEADER_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io/http_client.h"

/* Parses the body of an answer. Returns true when it says that the RM leads under an epoch of at
 * least @least, by nm_rm_search_state_is_leader(); false also for a body that cannot be read. */
bool nm_ha_answer_shows_leader(const char *text, size_t len, int64_t least);
/* Asks the RM at base address @url. Returns true when nm_ha_answer_shows_leader() accepts its
 * answer, which with @keys has to be signed. Takes three seconds at most. */
bool nm_ask_whether_rm_leads(struct base_http *h, struct base_keyring *keys, const char *url,
                             int64_t least);

#endif
