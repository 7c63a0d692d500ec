/* api/cli/doctor/finding.c - what checks have found. */
#include "api/cli/doctor/doctor.h"

const char *const doctor_severities[] = {"low", "medium", "high"};

void doctor_report_if_severe(struct doctor *d, const struct doctor_check *check, const char *key,
                             const char *value)
{
    if (check->severity < d->at_least)
        return;
    json_array_append_new(d->findings,
                          json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "id", check->id, "severity",
                                    doctor_severities[check->severity], "key", key, "value", value,
                                    "why", check->why, "remedy", check->remedy));
}
