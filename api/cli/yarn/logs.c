/* api/cli/yarn/logs.c - `creel logs` with the options and the output of `yarn logs` (SOURCE:
 * LogsCLI and LogToolUtils). Creel aggregates no logs: those of ended containers are on their nodes
 * too. */
#include "api/cli/yarn/logs.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/cli/job/log_follower.h"
#include "api/cli/job/log_sources.h"
#include "api/cli/text/text.h"
#include "base/id.h"
#include "base/io/io.h"

#define STARS "***********************************************************************"

static const struct cli_yarn_option options[] = {
    {"applicationId", 1, 0, "Application ID", "The logs of an application, as yarn prints them"},
    {"applicationAttemptId", 1, 0, NULL, "Those of one attempt"},
    {"containerId", 1, 0, "Container ID", "Those of one container"},
    {"am", CLI_YARN_MANY, ',', "AM Containers",
     "Only masters: 1,2 the first and the second, -1 the last, ALL"},
    {"log_files", CLI_YARN_MANY, ',', "Log File Name", "Only these files; ALL or *: every file"},
    {"logFiles", CLI_YARN_MANY, ',', "Log File Name", "The older form of -log_files"},
    {"log_files_pattern", CLI_YARN_MANY, ',', "Log File Pattern",
     "Only files whose names match one of these regular expressions"},
    {"size", 1, 0, "size", "Only the first so many bytes of a file; negative: the last"},
    {"size_limit_mb", 1, 0, "Size Limit",
     "Refuse to print more than this in total: 10240 unless set; -1: no limit"},
    {"out", 1, 0, "Local Directory", "Write a file for each container below this folder"},
    {"show_application_log_info", 0, 0, NULL, "List the containers"},
    {"show_container_log_info", 0, 0, NULL, "List the files of the containers"},
    {"list_nodes", 0, 0, NULL, "List the nodes that have logs of an ended application"},
    {"nodeAddress", 1, 0, "Node Address", "With -show_…: only containers on this node"},
    {"help", 0, 0, NULL, "Show these options as yarn does"},
    {"appOwner", 1, 0, "Application Owner", "Ignored: the ResourceManager knows the owner"},
    {"clusterId", 1, 0, "Cluster ID", "Ignored: there is one cluster"},
    {"client_max_retries", 1, 0, "Max Retries", "Ignored"},
    {"client_retry_interval_ms", 1, 0, "Retry Interval", "Ignored"},
    {0},
};

struct logs {
    const struct cli_yarn_line *line;
    char *app; /* id of the application */
    struct base_attempt_id attempt;
    bool one_attempt;
    const char *container; /* the only container to show; NULL: all */
    char *owner;
    bool ended; /* the application has ended */
    struct cli_log_sources sources;
    regex_t *patterns;
    size_t n_patterns;
    int64_t size; /* of -size; INT64_MAX: whole files */
    int64_t left; /* how many bytes may still be printed */
    bool limited;
};

/* ---- which form ---- */
bool cli_yarn_logs_are_asked_for(int argc, char **argv)
{
    bool yarn = argc == 1, word = false;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i] + strspn(argv[i], "-");
        size_t len = strcspn(name, "=");
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true; /* the help describes both forms */
        if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "-f") == 0 ||
            strcmp(argv[i], "--follow") == 0 || strcmp(argv[i], "-follow") == 0 ||
            (i == 1 && argv[i][0] != '-'))
            return false;
        for (const struct cli_yarn_option *o = options; o->name && name > argv[i]; o++)
            yarn = yarn || (strlen(o->name) == len && strncmp(o->name, name, len) == 0 &&
                            strcmp(o->name, "log_files") != 0);
        word = word || name == argv[i];
    }
    return yarn || !word; /* creel's own form needs at least one word */
}

static int print_usage(void)
{
    puts("Retrieve logs for YARN applications.\n"
         "usage: creel logs -applicationId <application ID> [OPTIONS]\n\n"
         "general options are:");
    return cli_yarn_print_usage(stdout, "", options);
}

/* ---- arguments ---- */
static int refuse(const char *text)
{
    fprintf(stderr, "%s\n", text);
    return CLI_YARN_FAILED;
}

static int refuse_about(const char *fmt, const char *a, const char *b)
{
    fflush(stdout);
    fprintf(stderr, fmt, a, b);
    return CLI_YARN_FAILED;
}

/* Reads the ids; each of them implies the application's. Returns an exit code. */
static int read_ids(struct logs *l)
{
    const char *app = cli_yarn_value(l->line, "applicationId");
    const char *attempt = cli_yarn_value(l->line, "applicationAttemptId");
    const char *container = cli_yarn_value(l->line, "containerId");
    struct base_app_id app_id;
    struct base_container_id container_id;
    char text[BASE_ID_TEXT_MAX];
    if (app && base_app_id_parse(app, &app_id, NULL) < 0)
        return refuse("Invalid ApplicationId specified");
    if (attempt && base_attempt_id_parse(attempt, &l->attempt, NULL) < 0)
        return refuse("Invalid AppAttemptId specified");
    if (container && base_container_id_parse(container, &container_id, NULL) < 0)
        return refuse("Invalid ContainerId specified");
    if (attempt && app && base_app_id_cmp(&app_id, &l->attempt.app) != 0)
        return refuse_about("The Application:%s does not have the AppAttempt:%s\n", app, attempt);
    if (container && attempt &&
        (base_app_id_cmp(&container_id.attempt.app, &l->attempt.app) != 0 ||
         container_id.attempt.attempt != l->attempt.attempt))
        return refuse_about("The AppAttempt:%s does not have the container:%s\n", attempt,
                            container);
    if (container && app && base_app_id_cmp(&container_id.attempt.app, &app_id) != 0)
        return refuse_about("The Application:%s does not have the container:%s\n", app, container);
    if (!app)
        app_id = attempt ? l->attempt.app : container_id.attempt.app;
    l->app = base_strdup(base_app_id_text(&app_id, text));
    l->one_attempt = attempt != NULL;
    l->container = container;
    return CLI_YARN_OK;
}

/* Reads a whole number; @fallback when the option was not given. Returns false after printing that
 * the value is not a number. */
static bool read_number(const struct logs *l, const char *option, int64_t fallback, int64_t *out)
{
    const char *text = cli_yarn_value(l->line, option);
    char *end;
    *out = fallback;
    if (!text)
        return true;
    errno = 0;
    *out = strtoll(text, &end, 10);
    if (*text && !*end && errno == 0)
        return true;
    cli_yarn_print_exception("For input string: \"%s\"", text);
    return false;
}

static const struct cli_yarn_values *wanted_files(const struct logs *l)
{
    const struct cli_yarn_values *files = cli_yarn_values(l->line, "log_files");
    return files->given ? files : cli_yarn_values(l->line, "logFiles");
}

/* Compiles the patterns of -log_files_pattern. */
static int read_patterns(struct logs *l)
{
    const struct cli_yarn_values *given = cli_yarn_values(l->line, "log_files_pattern");
    l->patterns = base_alloc((given->n + 1) * sizeof *l->patterns);
    for (size_t i = 0; i < given->n; i++, l->n_patterns++)
        if (regcomp(&l->patterns[i], given->v[i], REG_EXTENDED | REG_NOSUB) != 0)
            return cli_yarn_print_exception("-log_files_pattern: '%s' is no regular expression",
                                            given->v[i]);
    return CLI_YARN_OK;
}

static int check_master_numbers(const struct logs *l)
{
    const struct cli_yarn_values *given = cli_yarn_values(l->line, "am");
    for (size_t i = 0; i < given->n; i++) {
        char *end;
        long n = strtol(given->v[i], &end, 10);
        if (strcasecmp(given->v[i], "ALL") != 0 && (*end || (n != -1 && n <= 0))) {
            print_usage();
            return refuse("Invalid input for option -am. Valid inputs are 'ALL', -1 and any other "
                          "integer which is larger than 0.");
        }
    }
    return CLI_YARN_OK;
}

static int read_arguments(struct logs *l)
{
    const struct cli_yarn_line *line = l->line;
    const char *folder = cli_yarn_value(line, "out");
    int64_t limit_mb, ignored;
    struct stat st;
    int rc;
    if (line->missing || line->unknown) {
        fprintf(stderr, "options parsing failed: %s%s\n",
                line->unknown ? "Unrecognized option: " : "Missing argument for option",
                line->unknown ? line->unknown : "");
        return print_usage();
    }
    if ((rc = check_master_numbers(l)) != CLI_YARN_OK)
        return rc;
    if (!read_number(l, "size", INT64_MAX, &l->size) ||
        !read_number(l, "size_limit_mb", 10240, &limit_mb) ||
        !read_number(l, "client_max_retries", 0, &ignored) ||
        !read_number(l, "client_retry_interval_ms", 0, &ignored))
        return CLI_YARN_EXCEPTION;
    l->limited = limit_mb >= 0;
    l->left = !l->limited || limit_mb > INT64_MAX >> 20 ? INT64_MAX : limit_mb << 20;
    if (!cli_yarn_has(line, "applicationId") && !cli_yarn_has(line, "applicationAttemptId") &&
        !cli_yarn_has(line, "containerId")) {
        fputs("None of applicationId, appAttemptId and containerId is available,  one of them must "
              "be specified.\n",
              stderr);
        return print_usage();
    }
    if ((rc = read_ids(l)) != CLI_YARN_OK || (rc = read_patterns(l)) != CLI_YARN_OK)
        return rc;
    if (cli_yarn_has(line, "show_application_log_info") &&
        cli_yarn_has(line, "show_container_log_info"))
        return refuse("Invalid options. Can only accept one of "
                      "show_application_log_info/show_container_log_info.");
    if (wanted_files(l)->n && l->n_patterns)
        return refuse("Invalid options. Can only accept one of log_files/log_files_pattern.");
    if (folder && stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
        return refuse("Invalid value for -out option. Please provide a directory.");
    return CLI_YARN_OK;
}

/* ---- files ---- */
static bool wants_all_files(const struct logs *l)
{
    const struct cli_yarn_values *files = wanted_files(l);
    bool all = files->n == 0 && l->n_patterns == 0;
    for (size_t i = 0; i < files->n; i++)
        all = all || strcmp(files->v[i], "ALL") == 0 || strcmp(files->v[i], "*") == 0;
    return all;
}

static bool wants_file(const struct logs *l, const char *name)
{
    const struct cli_yarn_values *files = wanted_files(l);
    bool wanted = wants_all_files(l);
    for (size_t i = 0; i < files->n; i++)
        wanted = wanted || strcmp(files->v[i], name) == 0;
    for (size_t i = 0; i < l->n_patterns; i++)
        wanted = wanted || regexec(&l->patterns[i], name, 0, NULL, 0) == 0;
    return wanted;
}

/* Appends the value of -log_files or -log_files_pattern as yarn prints it: "[stdout]". */
static void add_pattern_text(const struct logs *l, struct base_buf *out)
{
    const struct cli_yarn_values *files = wanted_files(l);
    if (l->n_patterns)
        files = cli_yarn_values(l->line, "log_files_pattern");
    if (wants_all_files(l))
        base_buf_adds(out, "[ALL]");
    else
        cli_yarn_add_java_hash_set(files->v, files->n, out);
}

/* Asks a container's node for the list of the container's files. Returns the list, which the caller
 * owns; NULL after printing why there is none. */
static json_t *list_files(const struct cli_log_source *source)
{
    struct cli_answer a = {0};
    char *path = base_printf("containers/%s/logs", source->container);
    int rc = source->node ? cli_node_get(source->node, path, &a) : CLI_UNREACHABLE;
    json_t *files = json_array();
    const json_t *infos = json_object_get(a.json, "containerLogsInfo");
    free(path);
    for (size_t i = 0; i < cli_list_or_one_len(infos); i++) {
        const json_t *list = json_object_get(cli_list_or_one_get(infos, i), "containerLogInfo");
        for (size_t k = 0; k < cli_list_or_one_len(list); k++)
            json_array_append(files, (json_t *)(uintptr_t)cli_list_or_one_get(list, k));
    }
    if (rc == CLI_UNREACHABLE) {
        cli_error(0, "Unable to fetch log files list of %s: %s", source->container,
                  a.error ? a.error : CLI_LOG_NO_NODE);
        json_decref(files);
        files = NULL;
    }
    cli_answer_free(&a);
    return files;
}

/* ---- printing a file ---- */
struct sink {
    int fd;
    int64_t left; /* bytes to be written at most */
};

static int write_bytes(int fd, const void *data, size_t len)
{
    return fd == STDOUT_FILENO ? cli_write_all_or_print_error(fd, data, len)
                               : base_write_all(fd, data, len);
}

static int write_text(int fd, const char *text)
{
    return write_bytes(fd, text, strlen(text));
}

static int write_bytes_up_to_limit(void *user, const char *data, size_t len)
{
    struct sink *s = user;
    size_t n = s->left < (int64_t)len ? (size_t)s->left : len;
    s->left -= (int64_t)n;
    int rc = n ? write_bytes(s->fd, data, n) : 0;
    return rc ? rc : s->left == 0; /* 1 ends the stream: enough has been written */
}

/* Writes the part of a file that -size selects. */
static void write_selected_contents(const struct logs *l, const struct cli_log_source *source,
                                    const char *file, int64_t size, int fd)
{
    int64_t most = l->size < 0 ? -l->size : l->size;
    uint64_t from = l->size < 0 && most < size ? (uint64_t)(size - most) : 0;
    struct sink sink = {.fd = fd, .left = most < size ? most : size};
    struct cli_follow *f = cli_follow_new();
    size_t stream = cli_follow_add(f, source->node, source->container, file, from, false,
                                   write_bytes_up_to_limit, &sink);
    while (sink.left > 0 && cli_follow_poll(f, 1000, -1) > 0)
        ;
    if (cli_follow_result(f, stream) == CLI_FOLLOW_LOST)
        cli_error(0, "Can not find the log file:%s for the container:%s in NodeManager:%s (%s)",
                  file, source->container, cli_node_id(source->node),
                  cli_follow_error(f, stream) ? cli_follow_error(f, stream) : "no answer");
    cli_follow_free(f);
}

static void write_file(const struct logs *l, const struct cli_log_source *source,
                       const json_t *file, int fd)
{
    struct base_buf head = {0};
    const char *name = cli_str(file, "fileName");
    char *title = base_printf("Container: %s on %s", source->container, cli_node_id(source->node));
    base_buf_addf(&head, "%s\nLogAggregationType: LOCAL\n", title);
    for (size_t i = 0; i < strlen(title); i++)
        base_buf_adds(&head, "=");
    base_buf_addf(&head, "\nLogType:%s\nLogLastModifiedTime:%s\nLogLength:%lld\nLogContents:\n",
                  name, cli_str(file, "lastModifiedTime"), (long long)cli_int(file, "fileSize"));
    write_text(fd, head.data);
    write_selected_contents(l, source, name, cli_int(file, "fileSize"), fd);
    base_buf_clear(&head);
    if (source->running)
        base_buf_addf(&head,
                      "End of LogType:%s.This log file belongs to a running container (%s) and so "
                      "may not be complete.\n" STARS "\n\n\n",
                      name, source->container);
    else
        base_buf_addf(&head, "\nEnd of LogType:%s\n" STARS "\n\n", name);
    write_text(fd, head.data);
    base_buf_free(&head);
    free(title);
}

/* Opens the file for a container's logs: stdout, or with -out a file below that folder. Returns a
 * descriptor; -1 after printing why there is none. */
static int open_output(const struct logs *l, const struct cli_log_source *source)
{
    const char *folder = cli_yarn_value(l->line, "out");
    if (!folder)
        return STDOUT_FILENO;
    char *below = base_printf("%s/%s", folder, cli_node_id(source->node));
    for (char *s = below + strlen(folder) + 1; *s; s++)
        *s = *s == ':' || *s == '/' ? '_' : *s;
    char *path = base_printf("%s/%s", below, source->container);
    int fd = -1;
    if ((mkdir(folder, 0777) == 0 || errno == EEXIST) &&
        (mkdir(below, 0777) == 0 || errno == EEXIST))
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        cli_error(0, "cannot write %s: %s", path, strerror(errno));
    free(path);
    free(below);
    return fd;
}

/* ---- which containers ---- */
/* As in yarn, -nodeAddress has no effect where the logs of a running container are printed. */
static bool is_on_wanted_node(const struct logs *l, const struct cli_log_source *source)
{
    const char *node = cli_yarn_value(l->line, "nodeAddress");
    if (!l->ended && l->container && !cli_yarn_has(l->line, "show_container_log_info") &&
        !cli_yarn_has(l->line, "show_application_log_info"))
        return true;
    return !node || (source->node && strcasecmp(cli_node_id(source->node), node) == 0);
}

static bool is_of_wanted_attempt(const struct logs *l, const struct cli_log_source *source)
{
    struct base_container_id id;
    return !l->one_attempt || (base_container_id_parse(source->container, &id, NULL) == 0 &&
                               id.attempt.attempt == l->attempt.attempt);
}

/* Drops containers that were not asked for. */
static void keep_wanted_sources(struct logs *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->sources.n; i++) {
        struct cli_log_source *one = &l->sources.v[i];
        if (is_on_wanted_node(l, one) && is_of_wanted_attempt(l, one)) {
            l->sources.v[kept++] = *one;
        } else {
            free(one->container);
            free(one->node_http);
            free(one->label);
        }
    }
    l->sources.n = kept;
}

static int compare_by_container_text(const void *a, const void *b)
{
    return strcmp(((const struct cli_log_source *)a)->container,
                  ((const struct cli_log_source *)b)->container);
}

static int find_sources(struct cli *c, struct logs *l)
{
    l->sources.nodes = cli_nodes_new(c->rm);
    int rc = cli_log_sources_find(c, l->container ? l->container : l->app, &l->sources);
    if (rc != CLI_OK && rc != CLI_NOTFOUND)
        return cli_yarn_exit_code_of(rc);
    if (!l->container)
        cli_log_sources_find_earlier_attempts(c, &l->sources);
    keep_wanted_sources(l);
    if (l->sources.n)
        qsort(l->sources.v, l->sources.n, sizeof *l->sources.v, compare_by_container_text);
    return CLI_YARN_OK;
}

/* Finds the application's state and owner. */
static int find_app_state_and_owner(struct cli *c, struct logs *l)
{
    json_t *app = NULL;
    char *path = base_printf("/ws/v1/cluster/apps/%s", l->app);
    int rc = cli_yarn_get_object(c, path, "app", &app);
    const char *state = cli_str(app, "state");
    free(path);
    if (rc == CLI_NOTFOUND) {
        fputs("Unable to get ApplicationState. Attempting to fetch logs directly from the "
              "filesystem.\nCan not find the appOwner. Please specify the correct appOwner\n",
              stderr);
        return refuse_about("Could not locate application logs for %s%s\n", l->app, "");
    }
    if (rc != CLI_OK)
        return cli_yarn_exit_code_of(rc);
    bool early = strcmp(state, "NEW") == 0 || strcmp(state, "NEW_SAVING") == 0 ||
                 strcmp(state, "SUBMITTED") == 0;
    l->ended = cli_state_is_final(state);
    l->owner = base_strdup(cli_str(app, "user"));
    json_decref(app);
    return early ? refuse("Logs are not available right now.") : CLI_YARN_OK;
}

/* ---- what to do with them ---- */
static int refuse_nothing_found(const struct logs *l)
{
    return refuse_about("Can not find the logs for the application: %s with the appOwner: %s\n",
                        l->app, l->owner);
}

/* Prints that a container, or if @container is NULL the application, has none of the requested
 * files. */
static void print_no_match(const struct logs *l, const char *container)
{
    struct base_buf line = {0};
    base_buf_adds(&line, "Can not find any log file matching the pattern: ");
    add_pattern_text(l, &line);
    if (container)
        base_buf_addf(&line, " for the container: %s within the application: %s", container,
                      l->app);
    else
        base_buf_addf(&line, " for the application: %s", l->app);
    fflush(stdout);
    fprintf(stderr, "%s\n", line.data);
    base_buf_free(&line);
}

/* Counts the bytes of a file that will be printed. Returns false after printing that they exceed
 * -size_limit_mb. */
static bool take_bytes_from_limit(struct logs *l, int64_t file_size)
{
    int64_t most = l->size < 0 ? -l->size : l->size;
    l->left -= most < file_size ? most : file_size;
    if (!l->limited || l->left >= 0)
        return true;
    cli_yarn_print_exception(
        "The total log size is too large. Please specify a proper value for -size, "
        "or -1 for -size_limit_mb to fetch all");
    return false;
}

/* Prints the requested files of one container. Sets *found when there are any. Returns an exit
 * code. */
static int print_container_logs(struct logs *l, const struct cli_log_source *source, bool *found)
{
    json_t *files = list_files(source);
    int rc = CLI_YARN_OK, fd = -1;
    bool any = false;
    for (size_t i = 0; i < json_array_size(files) && rc == CLI_YARN_OK; i++) {
        const json_t *file = json_array_get(files, i);
        if (!wants_file(l, cli_str(file, "fileName")))
            continue;
        if (!take_bytes_from_limit(l, cli_int(file, "fileSize"))) {
            rc = CLI_YARN_EXCEPTION;
            break;
        }
        if (fd < 0 && (fd = open_output(l, source)) < 0)
            rc = CLI_YARN_EXCEPTION;
        else
            write_file(l, source, file, fd);
        any = true;
    }
    if (fd > STDERR_FILENO)
        close(fd);
    if (files && !any && rc == CLI_YARN_OK && (l->container || !l->ended))
        print_no_match(l, source->container);
    *found = *found || any;
    json_decref(files);
    return rc == CLI_YARN_OK && cli_write_failed() ? CLI_FAILED : rc;
}

static int print_logs(struct logs *l)
{
    bool found = false;
    int rc = CLI_YARN_OK;
    for (size_t i = 0; i < l->sources.n && rc == CLI_YARN_OK; i++)
        if (l->sources.v[i].node)
            rc = print_container_logs(l, &l->sources.v[i], &found);
    if (rc != CLI_YARN_OK || found)
        return rc;
    if (l->container)
        return CLI_YARN_FAILED;
    if (l->ended)
        print_no_match(l, NULL);
    return refuse_nothing_found(l);
}

/* Prints the logs of masters: of the attempts that -am names. */
static int print_masters_logs(struct cli *c, struct logs *l)
{
    const struct cli_yarn_values *which = cli_yarn_values(l->line, "am");
    struct cli_answer a = {0};
    char *path = base_printf("/ws/v1/cluster/apps/%s/appattempts", l->app);
    int rc = cli_yarn_request(c, "GET", path, NULL, &a);
    const json_t *attempts = cli_at(a.json, "appAttempts.appAttempt");
    long n = (long)cli_list_or_one_len(attempts);
    free(path);
    bool all = false, found = false;
    for (size_t i = 0; i < which->n; i++)
        all = all || strcasecmp(which->v[i], "ALL") == 0;
    if (all)
        puts("\nSpecified ALL for -am option. Printed logs for all am containers.");
    fflush(stdout);
    for (long i = 0; rc == CLI_YARN_OK && i < (all ? n : (long)which->n); i++) {
        long at = all ? i + 1 : strtol(which->v[i], NULL, 10);
        at = at == -1 ? n : at;
        if (at > n || at < 1) {
            fprintf(stderr,
                    "ERROR: Specified AM containerId (%s) exceeds the number of AM containers "
                    "(%ld).\n",
                    all ? "ALL" : which->v[i], n);
            rc = CLI_YARN_FAILED;
            break;
        }
        const char *id = cli_str(cli_list_or_one_get(attempts, (size_t)at - 1), "containerId");
        struct cli_log_source *source = cli_log_sources_find_container(&l->sources, id);
        if (source && source->node)
            rc = print_container_logs(l, source, &found);
    }
    cli_answer_free(&a);
    return rc;
}

static void print_container_title(const struct cli_log_source *source)
{
    printf("Container: %s on %s\n", source->container,
           source->node ? cli_node_id(source->node) : source->node_http);
}

static int list_containers(const struct logs *l)
{
    if (l->sources.n == 0)
        return refuse_about("Can not find any containers for the application:%s.%s\n", l->app, "");
    printf("Application State: %s\n", l->ended ? "Completed." : "Running.");
    for (size_t i = 0; i < l->sources.n; i++)
        print_container_title(&l->sources.v[i]);
    return CLI_YARN_OK;
}

static void print_equals(size_t n)
{
    while (n-- > 0)
        putchar('=');
    puts("");
}

static int list_container_files(const struct logs *l)
{
    for (size_t i = 0; i < l->sources.n; i++) {
        const struct cli_log_source *source = &l->sources.v[i];
        json_t *files = source->node ? list_files(source) : NULL;
        size_t title = strlen(source->container) + strlen("Container:  on ") +
                       strlen(source->node ? cli_node_id(source->node) : source->node_http);
        print_container_title(source);
        print_equals(title);
        printf("%30s\t%30s\t%30s\t%30s\n", "LogFile", "LogLength", "LastModificationTime",
               "LogAggregationType");
        print_equals(2 * title);
        for (size_t k = 0; k < json_array_size(files); k++) {
            const json_t *one = json_array_get(files, k);
            cli_yarn_print_cell(30, cli_str(one, "fileName"), "\t");
            cli_yarn_print_cell(30, cli_str(one, "fileSize"), "\t");
            cli_yarn_print_cell(30, cli_str(one, "lastModifiedTime"), "\t");
            cli_yarn_print_cell(30, "LOCAL", "\n");
        }
        json_decref(files);
    }
    return l->sources.n ? CLI_YARN_OK
                        : refuse_about("Can not find any matched containers for the application: "
                                       "%s%s\n",
                                       l->app, "");
}

static int list_nodes_with_logs(const struct logs *l)
{
    if (!l->ended)
        return refuse("The -list_nodes command can be only used with finished applications");
    for (size_t i = 0; i < l->sources.n; i++) {
        bool before = !l->sources.v[i].node;
        for (size_t k = 0; k < i; k++)
            before = before || l->sources.v[k].node == l->sources.v[i].node;
        if (!before)
            puts(cli_node_id(l->sources.v[i].node));
    }
    return CLI_YARN_OK;
}

static int run_logs_action(struct cli *c, struct logs *l)
{
    int rc = find_app_state_and_owner(c, l);
    if (rc == CLI_YARN_OK)
        rc = find_sources(c, l);
    if (rc != CLI_YARN_OK)
        return rc;
    if (cli_yarn_has(l->line, "show_container_log_info"))
        return list_container_files(l);
    if (cli_yarn_has(l->line, "list_nodes"))
        return list_nodes_with_logs(l);
    if (cli_yarn_has(l->line, "show_application_log_info"))
        return list_containers(l);
    if (cli_yarn_has(l->line, "am"))
        return print_masters_logs(c, l);
    if (!l->container && cli_yarn_has(l->line, "nodeAddress")) {
        fputs("Should at least provide ContainerId!\n", stderr);
        return print_usage();
    }
    return print_logs(l);
}

int cli_yarn_logs(const struct argp *help, int argc, char **argv)
{
    struct cli c = {0};
    struct cli_yarn_line line = {.keep_unknown = true};
    struct logs l = {.line = &line};
    int rc = cli_yarn_parse(&c, help, "logs", options, argc, argv, &line);
    if (rc == CLI_OK && (line.n_args == 0 || cli_yarn_has(&line, "help")))
        rc = print_usage() && line.n_args ? CLI_YARN_OK : CLI_YARN_FAILED;
    else if (rc == CLI_OK && (rc = read_arguments(&l)) == CLI_YARN_OK &&
             (rc = cli_rm_open(&c)) == CLI_OK)
        rc = run_logs_action(&c, &l);
    for (size_t i = 0; i < l.n_patterns; i++)
        regfree(&l.patterns[i]);
    free(l.patterns);
    free(l.app);
    free(l.owner);
    cli_log_sources_free(&l.sources);
    cli_yarn_line_free(&line);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
