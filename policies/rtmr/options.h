/* policies/rtmr/options.h - RTMR's options, of which policy dc reads rtmr.offer_margin too. */
#ifndef CREEL_POLICIES_RTMR_OPTIONS_H
#define CREEL_POLICIES_RTMR_OPTIONS_H

#include "policies/conf.h"

extern const struct policy_option rtmr_options[];

#endif
