/* rm/rpc/tracker/tracker.h - what handlers of the ResourceTracker's port get. */
#ifndef CREEL_RM_RPC_TRACKER_TRACKER_H
#define CREEL_RM_RPC_TRACKER_TRACKER_H

#include "rm/rpc/start/starter.h"

struct rm_tracker { /* all borrowed */
    struct rm_backend *b;
    struct rm_starter *starter;
};

#endif
