/* api/cli/token/tokens.c - `creel token`: makes, lists and revokes tokens of users. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/rm_client.h"
#include "api/cli/text/table.h"
#include "api/cli/text/text.h"
#include "api/cli/token/hadoop_file.h"
#include "base/clock.h"

#define TOKENS "/ws/v1/cluster/tokens"

enum { KEY_NEW = 256, KEY_USER, KEY_EXPIRES, KEY_LIST, KEY_REVOKE, KEY_HADOOP, KEY_RPC };

struct token_options {
    bool new, list;
    const char *user, *revoke, *hadoop_file, *rpc_address; /* NULL: not given */
    int64_t seconds;                                       /* 0: not given */
};

static const struct argp_option options[] = {
    {"new", KEY_NEW, NULL, 0, "Make a token, and print it: it is not shown again", 1},
    {"user", KEY_USER, "USER", 0, "With --new: for this user; default: the caller", 1},
    {"expires", KEY_EXPIRES, "WHEN", 0,
     "With --new: a time from now (12h, 30d) or a date (2027-01-31T20:00); default: 30d", 1},
    {"list", KEY_LIST, NULL, 0, "List the caller's tokens; for administrators those of all users",
     2},
    {"revoke", KEY_REVOKE, "ID", 0, "Revoke the token with this id, the part before its dot", 2},
    {"hadoop-file", KEY_HADOOP, "FILE", 0,
     "Write the caller's token to FILE, for Hadoop's own programs: HADOOP_TOKEN_FILE_LOCATION "
     "names "
     "it",
     3},
    {"rpc-address", KEY_RPC, "HOST:PORT", 0,
     "With --hadoop-file: where the ResourceManager speaks Hadoop RPC, those of several separated "
     "by "
     "commas; default: yarn.resourcemanager.address",
     3},
    {0},
};

static error_t parse_expiry(const char *arg, int64_t *seconds)
{
    bool relative;
    int64_t ms;

    if (!cli_when_parse(arg, &relative, &ms))
        return cli_option_set_error(
            "--expires: '%s' is neither a time from now such as 30d nor a date such as "
            "2027-01-31T20:00",
            arg);
    if (!relative)
        ms -= base_wall_us(&base_clock_real) / 1000;
    if (ms <= 0)
        return cli_option_set_error("--expires: '%s' is over", arg);
    *seconds = (ms + 999) / 1000;
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct token_options *o = state->input;

    switch (key) {
    case KEY_NEW:
        o->new = true;
        return 0;
    case KEY_USER:
        o->user = arg;
        return *arg ? 0 : cli_option_set_error("--user: the name is empty");
    case KEY_EXPIRES:
        return parse_expiry(arg, &o->seconds);
    case KEY_LIST:
        o->list = true;
        return 0;
    case KEY_REVOKE:
        o->revoke = arg;
        return *arg ? 0 : cli_option_set_error("--revoke: the id is empty");
    case KEY_HADOOP:
        o->hadoop_file = arg;
        return *arg ? 0 : cli_option_set_error("--hadoop-file: the path is empty");
    case KEY_RPC:
        o->rpc_address = arg;
        return 0;
    case ARGP_KEY_ARG:
        return cli_option_set_error("unexpected argument '%s'; see creel token --help", arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int make_and_print_token(struct cli *c, const struct token_options *o)
{
    json_t *token = json_object(), *body = json_pack("{s:o}", "token", token);
    struct cli_answer a = {0};
    int rc;

    if (o->user)
        json_object_set_new(token, "user", json_string(o->user));
    if (o->seconds)
        json_object_set_new(token, "expiresInSeconds", json_integer(o->seconds));
    rc = cli_rm_call(c->rm, "POST", TOKENS, body, 0, &a);
    json_decref(body);
    if (rc != CLI_OK)
        return cli_answer_print_error_and_free(&a, rc);
    if (!*cli_str(a.json, "token.text"))
        rc = cli_error(CLI_UNREACHABLE, "%s has made no token: is it a ResourceManager?",
                       cli_rm_url(c->rm));
    else if (c->json)
        cli_print_json(a.json);
    else
        printf("%s\n", cli_str(a.json, "token.text"));
    cli_answer_free(&a);
    return rc;
}

static int list_tokens(struct cli *c)
{
    json_t *answer;
    const json_t *list;
    struct cli_table *t;
    int rc = cli_rm_get(c, TOKENS, &answer);

    if (rc != CLI_OK)
        return rc;
    if (c->json) {
        cli_print_json(answer);
        json_decref(answer);
        return CLI_OK;
    }
    list = json_object_get(answer, "tokens");
    t = cli_table_new("ID", "<", "USER", "<", "MADE", "<", "EXPIRES", "<", NULL);
    for (size_t i = 0; i < cli_list_or_one_len(list); i++) {
        const json_t *one = cli_list_or_one_get(list, i);
        struct base_buf made = {0}, expires = {0};

        cli_text_add_time(cli_int(one, "madeTime"), &made);
        cli_text_add_time(cli_int(one, "expiryTime"), &expires);
        cli_table_add_row(t, cli_str(one, "id"), cli_str(one, "user"), made.data, expires.data,
                          NULL);
        base_buf_free(&made);
        base_buf_free(&expires);
    }
    cli_table_print_and_free(t, stdout);
    json_decref(answer);
    return CLI_OK;
}

static int revoke_token(struct cli *c, const char *id)
{
    struct cli_answer a = {0};
    struct base_buf path = {0};
    int rc;

    base_buf_adds(&path, TOKENS "/");
    cli_uri_add_encoded(id, &path);
    rc = cli_rm_call(c->rm, "DELETE", path.data, NULL, 0, &a);
    base_buf_free(&path);
    if (rc != CLI_OK)
        return cli_answer_print_error_and_free(&a, rc);
    cli_answer_free(&a);
    if (!c->json)
        printf("revoked %s; nodes may accept it for another minute\n", id);
    return CLI_OK;
}

static int check_option_combination(const struct token_options *o)
{
    if (o->new + o->list + (o->revoke != NULL) + (o->hadoop_file != NULL) != 1)
        return cli_error(CLI_USAGE,
                         "token: expected one of --new, --list, --revoke and --hadoop-file");
    if (o->rpc_address && !o->hadoop_file)
        return cli_error(CLI_USAGE, "token: --rpc-address is for --hadoop-file");
    if (!o->new && (o->user || o->seconds))
        return cli_error(CLI_USAGE, "token: --%s is for --new", o->user ? "user" : "expires");
    return CLI_OK;
}

int cli_token_main(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse_option,
        NULL,
        "Makes, lists and revokes tokens, by which users prove to the ResourceManager and the "
        "nodes "
        "who they are.\v"
        "Examples:\n"
        "  creel token --new --user ann --expires 30d > ann.token\n"
        "  creel token --list\n"
        "  creel token --revoke 6160a3d82bc8375c\n"
        "  creel token --hadoop-file yarn.token\n"
        "  HADOOP_TOKEN_FILE_LOCATION=$PWD/yarn.token yarn application -list\n\n"
        "Ann keeps her token in ~/.config/creel/token, or in the file that CREEL_TOKEN_FILE names, "
        "with mode 0600. Users make tokens of their own; those whom yarn.admin.acl names, and the "
        "user who runs the ResourceManager, make them for others, too.\n\n" CLI_EXIT_HELP,
        NULL,
        NULL,
        NULL};
    struct cli c = {0};
    struct token_options o = {0};
    int rc = cli_parse_and_load_conf(&c, &argp, 0, argc, argv, &o);

    if (rc == CLI_OK)
        rc = check_option_combination(&o);
    if (rc == CLI_OK)
        rc = cli_rm_open(&c);
    if (rc == CLI_OK)
        rc = o.new           ? make_and_print_token(&c, &o)
             : o.list        ? list_tokens(&c)
             : o.hadoop_file ? cli_token_write_hadoop_file(&c, o.hadoop_file, o.rpc_address)
                             : revoke_token(&c, o.revoke);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
