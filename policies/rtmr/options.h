/* policies/rtmr/options.h - the options of RTMR; dc reads rtmr.offer_margin, too. */
#ifndef CREEL_POLICIES_RTMR_OPTIONS_H
#define CREEL_POLICIES_RTMR_OPTIONS_H

#include "policies/conf.h"

extern const struct policy_option rtmr_options[]; /* ends with a NULL name */

#endif
