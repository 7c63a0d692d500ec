/* api/cli/yarn/ask.c - sends requests, and reports refusals as `yarn` does. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/yarn/yarn.h"

int cli_yarn_print_exception(const char *fmt, ...)
{
    struct base_buf text = {0};
    va_list ap;
    va_start(ap, fmt);
    base_buf_vaddf(&text, fmt, ap);
    va_end(ap);
    cli_error(CLI_YARN_EXCEPTION, "%s", text.data ? text.data : "");
    base_buf_free(&text);
    return CLI_YARN_EXCEPTION;
}

int cli_yarn_exit_code_of(int rc)
{
    return rc == CLI_OK || rc == CLI_INTERRUPTED ? rc : CLI_YARN_EXCEPTION;
}

int cli_yarn_request_silent_if_not_found(struct cli *c, const char *method, const char *path,
                                         const json_t *body, struct cli_answer *out)
{
    int rc = cli_rm_call(c->rm, method, path, body, 0, out);
    if (rc != CLI_OK && rc != CLI_NOTFOUND)
        cli_answer_print_error_and_free(out, rc);
    return rc;
}

int cli_yarn_request(struct cli *c, const char *method, const char *path, const json_t *body,
                     struct cli_answer *out)
{
    struct cli_answer unused = {0};
    struct cli_answer *a = out ? out : &unused;
    int rc = cli_yarn_request_silent_if_not_found(c, method, path, body, a);
    if (rc == CLI_NOTFOUND)
        cli_answer_print_error_and_free(a, rc);
    if (!out)
        cli_answer_free(a);
    return cli_yarn_exit_code_of(rc);
}

int cli_yarn_get_object(struct cli *c, const char *path, const char *member, json_t **out)
{
    struct cli_answer a = {0};
    int rc = cli_yarn_request_silent_if_not_found(c, "GET", path, NULL, &a);
    *out = rc == CLI_OK ? json_incref(json_object_get(a.json, member)) : NULL;
    cli_answer_free(&a);
    if (rc == CLI_OK && !json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        return cli_error(CLI_UNREACHABLE,
                         "%s%s answered without the object '%s': is it a ResourceManager?",
                         cli_rm_url(c->rm), path, member);
    }
    return rc;
}
