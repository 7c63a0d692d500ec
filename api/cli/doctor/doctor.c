/* api/cli/doctor/doctor.c - the command creel doctor: runs the checks and prints what they find. */
#include "api/cli/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>

#include "api/cli/cli.h"
#include "api/cli/rm_client.h"
#include "base/mem.h"

enum { KEY_SEVERITY = 256 };
/* Prints the findings, the worst first. */
static void print_findings(const struct doctor *d)
{
    size_t i;
    json_t *f;

    for (int s = DOCTOR_HIGH; s >= DOCTOR_LOW; s--)
        json_array_foreach(d->findings, i, f)
        {
            if (strcmp(cli_str(f, "severity"), doctor_severities[s]) != 0)
                continue;
            printf("%s: %s\n", doctor_severities[s], cli_str(f, "id"));
            cli_print_field(8, "  what", cli_str(f, "key"));
            cli_print_field(8, "  is", *cli_str(f, "value") ? cli_str(f, "value") : "not set");
            cli_print_field(8, "  why", cli_str(f, "why"));
            cli_print_field(8, "  do", cli_str(f, "remedy"));
        }
    if (json_array_size(d->findings) == 0)
        puts("These checks found nothing open.");
}

/* Runs the checks. Returns CLI_OK, CLI_FAILED when something is open, CLI_UNREACHABLE when no
 * daemon answers at the address. */
static int run_checks_and_print(struct doctor *d, bool as_json)
{
    struct base_http_answer a = {0};
    struct base_error err = {0};

    if (d->url) {
        char *url = base_printf("%s/isActive", d->url);
        struct base_http_request rq = {.method = "GET", .url = url, .timeout_ms = 10000};
        int rc = base_http_perform(d->http, &rq, &a, &err);
        free(url);
        base_http_answer_free(&a);
        if (rc < 0)
            return cli_error(CLI_UNREACHABLE, "%s: %s", d->url, err.text);
    }
    for (const struct doctor_check *check = doctor_checks; check->id; check++)
        if (d->url || !check->live)
            check->run(d, check);
    if (as_json) {
        json_t *all = json_pack("{s:O}", "findings", d->findings);
        cli_print_json(all);
        json_decref(all);
    } else {
        print_findings(d);
    }
    return json_array_size(d->findings) ? CLI_FAILED : CLI_OK;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct doctor *d = state->input;

    if (key == ARGP_KEY_ARG)
        return cli_option_set_error("unexpected argument '%s'", arg);
    if (key != KEY_SEVERITY)
        return ARGP_ERR_UNKNOWN;
    for (int i = DOCTOR_LOW; i <= DOCTOR_HIGH; i++)
        if (strcmp(arg, doctor_severities[i]) == 0) {
            d->at_least = (enum doctor_severity)i;
            return 0;
        }
    return cli_option_set_error("--severity: '%s' is none of low, medium, high", arg);
}

int cli_doctor_main(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"severity", KEY_SEVERITY, "LEVEL", 0,
         "Report only what is at least low (the default), medium or high", 1},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .doc =
            "Says what is open in the configuration of this host and in the files it names; with "
            "--rm, also what the daemon at that address, a ResourceManager or a NodeManager, "
            "grants to a stranger. Each finding has the key, its value, why it matters and what "
            "to do.\v"
            "Run it as a user who may read the files, preferably as root, on each host. Nothing is "
            "changed.\n\n"
            "Examples:\n"
            "  creel doctor\n"
            "  creel doctor --severity high --rm https://master:8090\n"
            "  creel doctor --conf new-creel-site.xml --json\n\n"
            "Exit status: 0 nothing is open, 1 something is, 2 wrong usage or a configuration "
            "that cannot be read, 3 no daemon answers at the address."};
    struct cli c = {0};
    struct doctor d = {0};
    struct base_rm_list daemons = {0};
    int rc = cli_parse_and_load_conf(&c, &argp, 0, argc, argv, &d);

    if (rc == CLI_OK && c.left_out)
        rc = cli_error(CLI_USAGE, "you may not read %s", c.left_out);
    if (rc == CLI_OK && c.rm_arg && (rc = cli_rm_list_read(&c, &daemons)) == CLI_OK) {
        d.url = daemons.url[0];
        cli_trust_authority(&c, &daemons);
    }
    if (rc == CLI_OK) {
        d.conf = c.conf;
        d.http = base_http_new();
        d.findings = json_array();
        rc = run_checks_and_print(&d, c.json);
        json_decref(d.findings);
        base_http_free(d.http);
    }
    base_rm_list_free(&daemons);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
