/* sim/manifest.h - manifest.json in a report's folder: all that is needed to get the same again. */
#ifndef CREEL_SIM_MANIFEST_H
#define CREEL_SIM_MANIFEST_H

#include "base/error.h"
#include "sim/command.h"
#include "sim/command_settings.h"

struct sim_manifest {
    const struct sim_cli *cli;
    const char *const *policies;
    size_t policies_n;
    const struct sim_setup *setup; /* before any sweep */
    int64_t heartbeat_us;          /* as resolved */
};
/* Writes OUT/manifest.json. */
int sim_manifest_write(const struct sim_manifest *m, struct base_error *err);
/* The command line, quoted for sh. Caller frees. */
char *sim_manifest_command(const struct sim_cli *cli);

#endif
