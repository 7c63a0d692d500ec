/* api/cli/yarn/refused.c - subcommands of `yarn` that Creel refuses, with the reason. */
#include <string.h>

#include "api/cli/yarn/yarn.h"

/* Answers --help, and refuses everything else. */
static int refuse_subcommand(int argc, char **argv, const char *usage, const char *why)
{
    bool help = argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-help") == 0 ||
                              strcmp(argv[1], "-h") == 0);
    if (!help)
        return cli_error(CLI_YARN_EXCEPTION, "%s", why);
    printf("Usage: %s %s\n\n%s. The exit status is 1.\n", argv[0], usage, why);
    return CLI_OK;
}

int cli_classpath_main(int argc, char **argv)
{
    return refuse_subcommand(
        argc, argv, "[--glob] [--jar FILE]",
        "classpath is refused: Creel is not written in Java and has no class path; "
        "programs that need Hadoop's classes find them with Hadoop's own yarn classpath");
}

int cli_jar_main(int argc, char **argv)
{
    return refuse_subcommand(
        argc, argv, "FILE [CLASS] [ARGUMENT]...",
        "jar is refused: Creel is not written in Java; Hadoop's own yarn jar submits to Creel over "
        "Hadoop RPC (yarn.resourcemanager.address), and creel job submit runs commands");
}
