/* sim/manifest.h - manifest.json in a report's folder: the program's version and all settings,
 * from which the runs can be repeated. */
#ifndef CREEL_SIM_MANIFEST_H
#define CREEL_SIM_MANIFEST_H

#include "base/error.h"
#include "sim/command.h"
#include "sim/command_settings.h"

struct sim_manifest {
    const struct sim_cli *cli;
    const char *const *policies;
    size_t policies_n;
    const struct sim_setup *setup; /* of the first variation */
    int64_t heartbeat_us;          /* interval, with AUTO resolved */
};
/* Writes manifest.json into the folder m->cli->out. Returns 0, or negative with @err. */
int sim_manifest_write(const struct sim_manifest *m, struct base_error *err);
/* Returns the command line, quoted for sh; the caller frees it. */
char *sim_manifest_quote_command(const struct sim_cli *cli);

#endif
