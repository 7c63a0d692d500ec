/* api/cli/app_id.c - parses the ids of a command line: of an application, or of something in it. */
#include <stdlib.h>
#include <string.h>

#include "api/cli/cli.h"
#include "base/id.h"

char *cli_app_id_from_any_id(const char *id)
{
    struct base_app_id app;
    struct base_attempt_id attempt;
    struct base_container_id container;
    struct base_task_id task;
    char text[BASE_ID_TEXT_MAX];
    if (strncmp(id, "job_", 4) == 0) { /* Hadoop's name for the same application */
        char *renamed = base_printf("application_%s", id + 4);
        char *result = cli_app_id_from_any_id(renamed);
        free(renamed);
        return result;
    }
    if (base_app_id_parse(id, &app, NULL) == 0)
        ;
    else if (base_attempt_id_parse(id, &attempt, NULL) == 0)
        app = attempt.app;
    else if (base_container_id_parse(id, &container, NULL) == 0)
        app = container.attempt.app;
    else if (base_task_id_parse(id, &task, NULL) == 0)
        app = task.app;
    else
        return NULL;
    return base_strdup(base_app_id_text(&app, text));
}

char *cli_app_id_require(const char *id, const char *command)
{
    if (!id) {
        cli_error(CLI_USAGE, "an id is missing; see %s --help", command);
        return NULL;
    }
    char *app = cli_app_id_from_any_id(id);
    if (!app)
        cli_error(CLI_USAGE, "'%s' is not an id such as application_1700000000000_0001", id);
    return app;
}

int cli_app_ids_require(char *const *ids, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *app = cli_app_id_require(ids[i], "");
        if (!app)
            return CLI_USAGE;
        free(app);
    }
    return CLI_OK;
}
