/* tests/unit/election_state.h - an election's state in words, for tests and their messages. */
#ifndef CREEL_TESTS_UNIT_ELECTION_STATE_H
#define CREEL_TESTS_UNIT_ELECTION_STATE_H

#include "ha/election/election.h"

static inline const char *election_state_name(enum ha_election_state s)
{
    static const char *const names[] = {
        [HA_OFFLINE] = "offline", [HA_OPENING] = "opening",   [HA_JOINING] = "joining",
        [HA_WAITING] = "waiting", [HA_CLAIMING] = "claiming", [HA_LEADING] = "leading",
        [HA_REFUSED] = "refused",
    };

    return names[s];
}

#endif
