/* api/cli/yarn/top.c - `creel top`: shows the cluster and its applications repeatedly, in the
 * layout and with the keys of `yarn top` (SOURCE: TopCLI), which also reads keys a line at a
 * time. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "api/cli/interrupt.h"
#include "api/cli/text/text.h"
#include "api/cli/yarn/yarn.h"
#include "base/clock.h"

enum { APPS_MS = 5000, HEAD_LINES = 9 }; /* APPS_MS: between two requests for applications */

static const struct cli_yarn_option options[] = {
    {"queues", 1, 0, NULL, "Only applications in these queues, separated by commas"},
    {"users", 1, 0, NULL, "Only applications of these users, separated by commas"},
    {"types", 1, 0, NULL, "Only applications of these types, separated by commas"},
    {"cols", 1, 0, NULL, "The width of the terminal"},
    {"rows", 1, 0, NULL, "The height of the terminal"},
    {"delay", 1, 0, NULL, "Seconds between two pictures; 3 unless set"},
    {"help", 0, 0, NULL, "Show these options; h and Enter while it runs shows the keys"},
    {0},
};

/* ---- columns ---- */
enum column {
    COL_ID,
    COL_USER,
    COL_TYPE,
    COL_QUEUE,
    COL_PRIORITY,
    COL_CONTAINERS,
    COL_RESERVED_CONTAINERS,
    COL_VCORES,
    COL_RESERVED_VCORES,
    COL_MEMORY,
    COL_RESERVED_MEMORY,
    COL_VCORE_SECONDS,
    COL_MEMORY_SECONDS,
    COL_PROGRESS,
    COL_TIME,
    COL_NAME,
    COLUMNS
};

static const struct {
    const char *title;
    int width; /* negative: left-aligned; 0: as wide as its text */
    char key;  /* sorts by the column, or shows and hides it */
    bool text; /* sorted as text */
    const char *description;
} columns[COLUMNS] = {
    [COL_ID] = {"APPLICATIONID", 31, 'a', true, "Application Id"},
    [COL_USER] = {"USER", -10, 'u', true, "Username"},
    [COL_TYPE] = {"TYPE", 10, 't', true, "Application type"},
    [COL_QUEUE] = {"QUEUE", 10, 'q', true, "Application queue"},
    [COL_PRIORITY] = {"PRIOR", 5, 'l', false, "Application priority"},
    [COL_CONTAINERS] = {"#CONT", 7, 'c', false, "Number of containers"},
    [COL_RESERVED_CONTAINERS] = {"#RCONT", 7, 'r', false, "Number of reserved containers"},
    [COL_VCORES] = {"VCORES", 7, 'v', false, "Allocated vcores"},
    [COL_RESERVED_VCORES] = {"RVCORES", 7, 'o', false, "Reserved vcores"},
    [COL_MEMORY] = {"MEM", 7, 'm', false, "Allocated memory"},
    [COL_RESERVED_MEMORY] = {"RMEM", 7, 'w', false, "Reserved memory"},
    [COL_VCORE_SECONDS] = {"VCORESECS", 10, 's', false, "Vcore seconds"},
    [COL_MEMORY_SECONDS] = {"MEMSECS", 10, 'y', false, "Memory seconds(in GBseconds)"},
    [COL_PROGRESS] = {"%PROGR", 6, 'p', false, "Progress(percentage)"},
    [COL_TIME] = {"TIME", 10, 'i', false, "Running time"},
    [COL_NAME] = {"NAME", 0, 'n', true, "Application name"},
};

enum screen { SCREEN_TOP, SCREEN_HELP, SCREEN_SORT, SCREEN_FIELDS };

struct top {
    struct cli *c;
    const struct cli_yarn_line *line;
    enum screen screen;
    enum column sort;
    bool ascending, hidden[COLUMNS];
    size_t width, height;
    int64_t delay_ms, asked_us; /* asked_us: when @apps was requested; 0: never */
    json_t *apps;               /* ended ones included when -queues was given */
    json_t *metrics, *info;
};

static bool is_live(const json_t *app)
{
    const char *state = cli_str(app, "state");
    return strcmp(state, "RUNNING") == 0 || strcmp(state, "ACCEPTED") == 0;
}

/* Returns the number by which the column is sorted. */
static double get_column_number(const json_t *app, enum column column)
{
    static const char *const members[COLUMNS] = {
        [COL_PRIORITY] = "priority",          [COL_CONTAINERS] = "runningContainers",
        [COL_VCORES] = "allocatedVCores",     [COL_RESERVED_VCORES] = "reservedVCores",
        [COL_MEMORY] = "allocatedMB",         [COL_RESERVED_MEMORY] = "reservedMB",
        [COL_VCORE_SECONDS] = "vcoreSeconds", [COL_MEMORY_SECONDS] = "memorySeconds",
        [COL_PROGRESS] = "progress",          [COL_TIME] = "elapsedTime",
    };
    return members[column] ? cli_num(app, members[column]) : 0;
}

static const char *get_column_text(const json_t *app, enum column column)
{
    static const char *const members[COLUMNS] = {[COL_ID] = "id",
                                                 [COL_USER] = "user",
                                                 [COL_TYPE] = "applicationType",
                                                 [COL_QUEUE] = "queue",
                                                 [COL_NAME] = "name"};
    return members[column] ? cli_str(app, members[column]) : "";
}

static void add_cell(const json_t *app, enum column column, struct base_buf *out)
{
    double number = get_column_number(app, column);
    int64_t minutes = (int64_t)number / 60000;
    switch (column) {
    case COL_TYPE:
        for (const char *s = get_column_text(app, column); *s; s++)
            base_buf_addf(out, "%c", *s >= 'A' && *s <= 'Z' ? *s - 'A' + 'a' : *s);
        break;
    case COL_MEMORY:
    case COL_RESERVED_MEMORY:
        base_buf_addf(out, "%lldG", (long long)number / 1024);
        break;
    case COL_MEMORY_SECONDS:
        base_buf_addf(out, "%lld", (long long)number / 1024);
        break;
    case COL_PROGRESS:
        base_buf_addf(out, "%.2f", number);
        break;
    case COL_TIME:
        base_buf_addf(out, "%02lld:%02lld:%02lld", (long long)(minutes / 1440),
                      (long long)(minutes / 60 % 24), (long long)(minutes % 60));
        break;
    default:
        if (columns[column].text)
            cli_text_add_clean(get_column_text(app, column), out);
        else
            base_buf_addf(out, "%lld", number > 0 ? (long long)number : 0);
    }
}

/* ---- requests ---- */
static void add_filter(const struct top *t, const char *option, const char *parameter,
                       struct base_buf *path)
{
    const char *value = cli_yarn_value(t->line, option);
    if (!value)
        return;
    base_buf_addf(path, "&%s=", parameter);
    cli_uri_add_encoded(value, path);
}

/* Requests the applications, unless the last request is less than APPS_MS old. */
static int request_apps_if_old(struct top *t)
{
    struct base_buf path = {0};
    struct cli_answer a = {0};
    int64_t now = base_mono_us(&base_clock_real);
    if (t->asked_us && now - t->asked_us < APPS_MS * INT64_C(1000))
        return CLI_YARN_OK;
    base_buf_adds(&path, "/ws/v1/cluster/apps?deSelects=resourceRequests");
    if (!cli_yarn_has(t->line, "queues"))
        base_buf_adds(&path, "&states=ACCEPTED,RUNNING");
    add_filter(t, "queues", "queue", &path);
    add_filter(t, "users", "user", &path);
    add_filter(t, "types", "applicationTypes", &path);
    int rc = cli_yarn_request(t->c, "GET", path.data, NULL, &a);
    if (rc == CLI_YARN_OK) {
        json_decref(t->apps);
        t->apps = json_incref(a.json);
        t->asked_us = now;
    }
    cli_answer_free(&a);
    base_buf_free(&path);
    return rc;
}

static int request_object(struct top *t, const char *path, json_t **out)
{
    struct cli_answer a = {0};
    int rc = cli_yarn_request(t->c, "GET", path, NULL, &a);
    if (rc == CLI_YARN_OK) {
        json_decref(*out);
        *out = json_incref(a.json);
    }
    cli_answer_free(&a);
    return rc;
}

static int request_shown_state(struct top *t)
{
    int rc = request_apps_if_old(t);
    if (rc == CLI_YARN_OK)
        rc = request_object(t, "/ws/v1/cluster/metrics", &t->metrics);
    if (rc == CLI_YARN_OK && !t->info)
        rc = request_object(t, "/ws/v1/cluster/info", &t->info);
    return rc;
}

/* ---- the head: cluster and queues ---- */
/* The figures of the head: for the whole cluster, or with -queues for the applications in these
 * queues that the RM still knows. */
struct totals {
    int64_t running, submitted, pending, completed, killed, failed, users;
    int64_t mb[4], vcores[4]; /* available, allocated, pending, reserved */
    int64_t containers, containers_pending, containers_reserved;
};

static int64_t get_cluster_metric(const struct top *t, const char *name)
{
    return cli_int(json_object_get(t->metrics, "clusterMetrics"), name);
}

static void fill_totals_of_cluster(const struct top *t, struct totals *s)
{
    static const char *const amounts[4] = {"available", "allocated", "pending", "reserved"};
    s->running = get_cluster_metric(t, "appsRunning");
    s->submitted = get_cluster_metric(t, "appsSubmitted");
    s->pending = get_cluster_metric(t, "appsPending");
    s->completed = get_cluster_metric(t, "appsCompleted");
    s->killed = get_cluster_metric(t, "appsKilled");
    s->failed = get_cluster_metric(t, "appsFailed");
    for (size_t i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "%sMB", amounts[i]);
        s->mb[i] = get_cluster_metric(t, name);
        snprintf(name, sizeof name, "%sVirtualCores", amounts[i]);
        s->vcores[i] = get_cluster_metric(t, name);
    }
    s->containers = get_cluster_metric(t, "containersAllocated");
    s->containers_pending = get_cluster_metric(t, "containersPending");
    s->containers_reserved = get_cluster_metric(t, "containersReserved");
}

static void add_to_totals(const json_t *app, struct totals *s)
{
    const char *state = cli_str(app, "state");
    s->submitted++;
    s->running += strcmp(state, "RUNNING") == 0;
    s->pending += strcmp(state, "ACCEPTED") == 0;
    s->completed += strcmp(state, "FINISHED") == 0;
    s->killed += strcmp(state, "KILLED") == 0;
    s->failed += strcmp(state, "FAILED") == 0;
    if (!is_live(app))
        return;
    s->mb[1] += cli_int(app, "allocatedMB");
    s->mb[3] += cli_int(app, "reservedMB");
    s->vcores[1] += cli_int(app, "allocatedVCores");
    s->vcores[3] += cli_int(app, "reservedVCores");
    s->containers += cli_int(app, "runningContainers");
}

static int64_t count_users_of_live_apps(const json_t *apps)
{
    json_t *seen = json_object();
    for (size_t i = 0; i < cli_list_or_one_len(apps); i++)
        if (is_live(cli_list_or_one_get(apps, i)))
            json_object_set_new(seen, cli_str(cli_list_or_one_get(apps, i), "user"), json_true());
    int64_t n = (int64_t)json_object_size(seen);
    json_decref(seen);
    return n;
}

static void fill_totals(const struct top *t, struct totals *s)
{
    const json_t *apps = cli_at(t->apps, "apps.app");
    *s = (struct totals){0};
    if (!cli_yarn_has(t->line, "queues"))
        fill_totals_of_cluster(t, s);
    for (size_t i = 0; cli_yarn_has(t->line, "queues") && i < cli_list_or_one_len(apps); i++)
        add_to_totals(cli_list_or_one_get(apps, i), s);
    if (cli_yarn_has(t->line, "queues")) { /* free resources are those of the whole cluster */
        s->mb[0] = get_cluster_metric(t, "availableMB");
        s->vcores[0] = get_cluster_metric(t, "availableVirtualCores");
    }
    s->users = count_users_of_live_apps(apps);
}

/* ---- printing ---- */
/* Returns the escape sequence on a terminal, and "" elsewhere, where output is plain text. */
static const char *escape_if_terminal(const char *sequence)
{
    return isatty(STDOUT_FILENO) ? sequence : "";
}

/* Prints a line, cut to the width of the terminal. */
static void print_cut(const struct top *t, const char *text)
{
    size_t n = cli_text_prefix_fitting(text, t->width > 0 ? t->width - 1 : 0);
    printf("%s%.*s\n", escape_if_terminal("\033[2K"), (int)(t->width ? n : strlen(text)), text);
}

static void print_cut_f(const struct top *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void print_cut_f(const struct top *t, const char *fmt, ...)
{
    struct base_buf line = {0};
    va_list ap;
    va_start(ap, fmt);
    base_buf_vaddf(&line, fmt, ap);
    va_end(ap);
    print_cut(t, line.data);
    base_buf_free(&line);
}

static void print_head(const struct top *t)
{
    struct totals s;
    int64_t now_ms = base_wall_us(&base_clock_real) / 1000;
    int64_t up_min = (now_ms - cli_int(t->info, "clusterInfo.startedOn")) / 60000;
    const char *queues = cli_yarn_value(t->line, "queues");
    time_t now = (time_t)(now_ms / 1000);
    char clock[16];
    struct tm tm;
    fill_totals(t, &s);
    strftime(clock, sizeof clock, "%H:%M:%S", localtime_r(&now, &tm));
    print_cut_f(t, "YARN top - %s, up %lldd, %lld:%lld, %lld active users, queue(s): %s", clock,
                (long long)(up_min / 1440), (long long)(up_min / 60 % 24), (long long)(up_min % 60),
                (long long)s.users, queues ? queues : "root");
    print_cut_f(t,
                "NodeManager(s): %lld total, %lld active, %lld unhealthy, %lld decommissioning, "
                "%lld decommissioned, %lld lost, %lld rebooted, %lld shutdown",
                (long long)get_cluster_metric(t, "totalNodes"),
                (long long)get_cluster_metric(t, "activeNodes"),
                (long long)get_cluster_metric(t, "unhealthyNodes"),
                (long long)get_cluster_metric(t, "decommissioningNodes"),
                (long long)get_cluster_metric(t, "decommissionedNodes"),
                (long long)get_cluster_metric(t, "lostNodes"),
                (long long)get_cluster_metric(t, "rebootedNodes"),
                (long long)get_cluster_metric(t, "shutdownNodes"));
    print_cut_f(
        t,
        "Queue(s) Applications: %lld running, %lld submitted, %lld pending, %lld completed, "
        "%lld killed, %lld failed",
        (long long)s.running, (long long)s.submitted, (long long)s.pending, (long long)s.completed,
        (long long)s.killed, (long long)s.failed);
    print_cut_f(t, "Queue(s) Mem(GB): %lld available, %lld allocated, %lld pending, %lld reserved",
                (long long)s.mb[0] / 1024, (long long)s.mb[1] / 1024, (long long)s.mb[2] / 1024,
                (long long)s.mb[3] / 1024);
    print_cut_f(t, "Queue(s) VCores: %lld available, %lld allocated, %lld pending, %lld reserved",
                (long long)s.vcores[0], (long long)s.vcores[1], (long long)s.vcores[2],
                (long long)s.vcores[3]);
    print_cut_f(t, "Queue(s) Containers: %lld allocated, %lld pending, %lld reserved",
                (long long)s.containers, (long long)s.containers_pending,
                (long long)s.containers_reserved);
}

/* Appends a cell, in its column's width and after a blank unless it is the first. */
static void add_in_column(const struct top *t, enum column column, const char *text,
                          struct base_buf *out)
{
    if (t->hidden[column])
        return;
    base_buf_addf(out, "%s%*s", out->len ? " " : "", columns[column].width, text);
}

static void print_titles(const struct top *t)
{
    struct base_buf line = {0};
    for (int i = 0; i < COLUMNS; i++)
        add_in_column(t, (enum column)i, columns[i].title, &line);
    while (t->width && line.len + 1 < t->width)
        base_buf_adds(&line, " ");
    printf("%s", escape_if_terminal("\033[7m"));
    print_cut(t, line.data ? line.data : "");
    printf("%s", escape_if_terminal("\033[0m"));
    base_buf_free(&line);
}

static const struct top *sorting; /* qsort() passes its comparison no context */

static int compare_apps(const void *a, const void *b)
{
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    double nx = get_column_number(x, sorting->sort), ny = get_column_number(y, sorting->sort);
    int rc = columns[sorting->sort].text
                 ? strcmp(get_column_text(x, sorting->sort), get_column_text(y, sorting->sort))
                 : (nx > ny) - (nx < ny);
    return sorting->ascending ? rc : -rc;
}

static void print_apps(const struct top *t)
{
    const json_t *apps = cli_at(t->apps, "apps.app");
    size_t n = 0, rows = t->height > HEAD_LINES ? t->height - HEAD_LINES : 1;
    const json_t **sorted = base_alloc((cli_list_or_one_len(apps) + 1) * sizeof *sorted);
    struct base_buf line = {0}, cell = {0};
    for (size_t i = 0; i < cli_list_or_one_len(apps); i++)
        if (is_live(cli_list_or_one_get(apps, i)))
            sorted[n++] = cli_list_or_one_get(apps, i);
    sorting = t;
    if (n)
        qsort(sorted, n, sizeof *sorted, compare_apps);
    for (size_t i = 0; i < rows; i++) {
        base_buf_clear(&line);
        for (int k = 0; k < COLUMNS && i < n; k++) {
            base_buf_clear(&cell);
            add_cell(sorted[i], (enum column)k, &cell);
            add_in_column(t, (enum column)k, cell.data ? cell.data : "", &line);
        }
        print_cut(t, line.data ? line.data : "");
    }
    base_buf_free(&line);
    base_buf_free(&cell);
    free(sorted);
}

static int show_top(struct top *t)
{
    int rc = request_shown_state(t);
    if (rc != CLI_YARN_OK)
        return rc;
    printf("%s", escape_if_terminal("\033[H"));
    print_head(t);
    print_cut(t, "");
    print_titles(t);
    print_apps(t);
    printf("%s", escape_if_terminal("\033[7;1H")); /* the line where keys are typed */
    fflush(stdout);
    return CLI_YARN_OK;
}

/* Lists the columns by their keys; "*" marks the chosen ones. */
static void show_columns(const struct top *t, bool fields)
{
    printf("%s%s", escape_if_terminal("\033[2J"), escape_if_terminal("\033[H"));
    if (fields)
        puts("Current Fields: \n"
             "Toggle fields via field letter followed by Enter, type any other key followed by "
             "Enter to return");
    else
        printf("Current Sort Field: %c\n"
               "Select sort field via letter followed by Enter, type any other key followed by "
               "Enter to return\n\n",
               columns[t->sort].key);
    for (char key = 'a'; key <= 'z'; key++)
        for (int i = 0; i < COLUMNS; i++)
            if (columns[i].key == key)
                printf("%s %c: %-15s = %s\n",
                       (fields ? !t->hidden[i] : t->sort == (enum column)i) ? "*" : " ",
                       fields && !t->hidden[i] ? key - 'a' + 'A' : key, columns[i].title,
                       columns[i].description);
    fflush(stdout);
}

static void show_help(const struct top *t)
{
    printf("%s%sHelp for yarn top.\nDelay: %lld secs; Secure mode: false\n\n"
           "  s + Enter: Select sort field\n"
           "  f + Enter: Select fields to display\n"
           "  R + Enter: Reverse current sort order\n"
           "  h + Enter: Display this screen\n"
           "  q + Enter: Quit\n\n"
           "Press any key followed by Enter to continue\n",
           escape_if_terminal("\033[2J"), escape_if_terminal("\033[H"),
           (long long)t->delay_ms / 1000);
    fflush(stdout);
}

/* ---- keys ---- */
static int find_column(char key)
{
    for (int i = 0; i < COLUMNS; i++)
        if (columns[i].key == key)
            return i;
    return -1;
}

/* Takes one key. Returns false when the command is to end. */
static bool handle_key(struct top *t, char key)
{
    char low = (char)(key >= 'A' && key <= 'Z' ? key - 'A' + 'a' : key);
    int column = find_column(low);
    if (t->screen == SCREEN_TOP) {
        if (low == 'r')
            t->ascending = !t->ascending;
        t->screen = low == 's'   ? SCREEN_SORT
                    : low == 'f' ? SCREEN_FIELDS
                    : low == 'h' ? SCREEN_HELP
                                 : SCREEN_TOP;
        return low != 'q';
    }
    if (column < 0 || t->screen == SCREEN_HELP) {
        t->screen = SCREEN_TOP;
        printf("%s", escape_if_terminal("\033[2J"));
    } else if (t->screen == SCREEN_SORT) {
        t->sort = (enum column)column;
    } else {
        t->hidden[column] = !t->hidden[column];
    }
    return true;
}

/* Waits for a key until @until_us. Sets *closed at the end of the input. Returns the key; 0: none.
 */
static char wait_for_key(int64_t until_us, bool *closed)
{
    for (;;) {
        int64_t left = (until_us - base_mono_us(&base_clock_real)) / 1000;
        struct pollfd in[2] = {{.fd = *closed ? -1 : STDIN_FILENO, .events = POLLIN},
                               {.fd = cli_interrupt_fd(), .events = POLLIN}};
        char key = 0;
        if (left <= 0 || poll(in, 2, (int)left) <= 0 || in[1].revents)
            return 0;
        ssize_t n = read(STDIN_FILENO, &key, 1);
        *closed = n <= 0;
        if (n > 0 && key > ' ')
            return key;
    }
}

static int run_top(struct top *t)
{
    static const int signals[] = {2, 15}; /* SIGINT, SIGTERM: caught, so that the screen is cleared
                                           * at the end */
    bool closed = false, going = true;
    int rc = CLI_YARN_OK;
    cli_interrupt_catch(signals, 2);
    printf("%s", escape_if_terminal("\033[2J"));
    while (going && rc == CLI_YARN_OK && !cli_write_failed()) {
        int64_t until = base_mono_us(&base_clock_real) + t->delay_ms * 1000;
        if (t->screen == SCREEN_TOP)
            rc = show_top(t);
        else if (t->screen == SCREEN_HELP)
            show_help(t);
        else
            show_columns(t, t->screen == SCREEN_FIELDS);
        if (rc != CLI_YARN_OK || ferror(stdout))
            break;
        char key = wait_for_key(until, &closed);
        going = !cli_interrupt_pending() && (!key || handle_key(t, key));
    }
    printf("%s%s", escape_if_terminal("\033[2J"), escape_if_terminal("\033[H"));
    cli_interrupt_release();
    return rc;
}

/* Reads a number of an option; @fallback if the option is absent or the number is not from 1
 * to 86400. */
static int64_t read_number(const struct cli_yarn_line *line, const char *option, int64_t fallback)
{
    const char *text = cli_yarn_value(line, option);
    long long n = text ? strtoll(text, NULL, 10) : 0;
    return n >= 1 && n <= 86400 ? n : fallback;
}

static void measure_terminal(struct top *t)
{
    struct winsize size = {0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row;
    t->width = (size_t)read_number(t->line, "cols", known ? size.ws_col : 80);
    t->height = (size_t)read_number(t->line, "rows", known ? size.ws_row : 24);
}

int cli_top_main(int argc, char **argv)
{
    static const struct argp help = {
        .args_doc = "",
        .doc = "Shows nodes, queues and applications again and again, with the options, layout and "
               "keys of yarn top. Press a key, then Enter: q ends, h shows the keys.\v"
               "Examples:\n"
               "  creel top\n"
               "  creel top -queues root.default -delay 10\n\n" CLI_YARN_EXIT_HELP};
    struct cli c = {.without = CLI_WITHOUT_JSON};
    struct cli_yarn_line line = {0};
    struct top t = {.c = &c, .line = &line, .sort = COL_CONTAINERS};
    int rc = cli_yarn_parse(&c, &help, "top", options, argc, argv, &line);
    if (rc == CLI_OK && (line.missing || line.n_words))
        rc = cli_yarn_print_exception(
            "top: an option lacks its value, or a word is too many; see creel "
            "top --help");
    else if (rc == CLI_OK && cli_yarn_has(&line, "help"))
        cli_yarn_print_usage(stdout, "yarn top", options);
    else if (rc == CLI_OK && (rc = cli_rm_open(&c)) == CLI_OK) {
        t.delay_ms = 1000 * read_number(&line, "delay", 3);
        measure_terminal(&t);
        rc = run_top(&t);
    }
    json_decref(t.apps);
    json_decref(t.metrics);
    json_decref(t.info);
    cli_yarn_line_free(&line);
    cli_free(&c);
    return rc < 0 ? CLI_OK : rc;
}
