/* api/cli/yarn/queue.c - `creel queue` (SOURCE: QueueCLI). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/text/text.h"
#include "api/cli/yarn/queue_info.h"

static const struct cli_yarn_option options[] = {
    {"list", 1, 0, "Parent Queue Name", "List the children of a queue; of all: every queue"},
    {"status", 1, 0, "Queue Name", "Show one queue"},
    {"help", 0, 0, NULL, "Show these options as yarn does"},
    {"subClusterId", 1, 0, NULL, "Ignored: there is one cluster"},
    {0},
};

/* ---- -status ---- */
static void add_per_cent(double v, struct base_buf *out)
{
    cli_yarn_add_decimal(v, 0, 2, 2, out);
    base_buf_adds(out, "%");
}

static void print_per_cent(const char *label, double v)
{
    struct base_buf text = {0};
    add_per_cent(v, &text);
    printf("%s%s\n", label, text.data);
    base_buf_free(&text);
}

static void add_weight(const struct cli_queue *q, struct base_buf *out)
{
    cli_yarn_add_decimal(cli_num(q->json, "weight"), 0, 2, 2, out);
}

static const char *get_queue_state(const struct cli_queue *q)
{
    const char *state = cli_str(q->json, "state");
    return *state ? state : "RUNNING"; /* only leaves of the capacity scheduler show theirs */
}

static const char *enabled_if_false(const struct cli_queue *q, const char *member)
{
    const json_t *value = json_object_get(q->json, member);
    return json_is_false(value) ? "enabled" : "disabled";
}

/* Prints the labels whose nodes the queue may use; "*" means all. */
static void print_accessible_labels(const struct cli_queue *q)
{
    const json_t *labels = json_object_get(q->json, "nodeLabels");
    struct base_buf list = {0};
    for (size_t i = 0; i < cli_list_or_one_len(labels); i++)
        base_buf_addf(&list, "%s%s", i ? "," : "", cli_str(cli_list_or_one_get(labels, i), ""));
    cli_yarn_print_line("\tAccessible Node Labels : ", labels ? (list.data ? list.data : "") : "*");
    base_buf_free(&list);
}

static void print_capacity_queue(const struct cli_queues *all, const struct cli_queue *q)
{
    struct base_buf weight = {0};
    const char *label = cli_str(q->json, "defaultNodeLabelExpression");
    add_weight(q, &weight);
    cli_yarn_print_line("Scheduler Name : ", all->scheduler);
    cli_yarn_print_line("Queue Name : ", q->name);
    cli_yarn_print_line("Queue Path : ", q->path);
    cli_yarn_print_line("\tState : ", get_queue_state(q));
    print_per_cent("\tCapacity : ", q->capacity);
    print_per_cent("\tCurrent Capacity : ", q->current);
    print_per_cent("\tMaximum Capacity : ", q->maximum);
    printf("\tWeight : %s\n", weight.data);
    printf("\tMaximum Parallel Apps : %lld\n", (long long)cli_int(q->json, "maxParallelApps"));
    cli_yarn_print_line("\tDefault Node Label expression : ",
                        *label ? label : "<DEFAULT_PARTITION>");
    print_accessible_labels(q);
    printf("\tPreemption : %s\n", enabled_if_false(q, "preemptionDisabled"));
    printf("\tIntra-queue Preemption : %s\n", enabled_if_false(q, "intraQueuePreemptionDisabled"));
    base_buf_free(&weight);
}

static void print_fair_resource(const char *label, const struct cli_queue *q, const char *member)
{
    char memory[64], vcores[64];
    snprintf(memory, sizeof memory, "%s.memory", member);
    snprintf(vcores, sizeof vcores, "%s.vCores", member);
    printf("\t%s : <memory : %lld, vCores:%lld>\n", label, (long long)cli_int(q->json, memory),
           (long long)cli_int(q->json, vcores));
}

static void print_fair_queue(const struct cli_queues *all, const struct cli_queue *q)
{
    cli_yarn_print_line("Scheduler Name : ", all->scheduler);
    cli_yarn_print_line("Queue Name : ", q->name);
    cli_yarn_print_line("\tState : ", get_queue_state(q));
    print_fair_resource("MinResource", q, "minResources");
    print_fair_resource("MaxResource", q, "maxResources");
    print_fair_resource("ReservedResource", q, "reservedResources");
    print_fair_resource("SteadyFairShare", q, "steadyFairResources");
    printf("\tQueue Preemption : %s\n",
           json_is_true(json_object_get(q->json, "preemptable")) ? "enabled" : "disabled");
}

static int show_queue(struct cli *c, const char *name)
{
    struct cli_queues all;
    int rc = cli_queues_fetch(c, &all);
    const struct cli_queue *q = rc == CLI_YARN_OK ? cli_queues_find(&all, name) : NULL;
    if (rc == CLI_YARN_OK && !q) {
        cli_print_clean("Cannot get queue from RM by queueName = %s, please check.\n", name);
        rc = CLI_YARN_FAILED;
    } else if (q && c->json) {
        cli_print_json(q->json);
    } else if (q) {
        puts("Queue Information : ");
        (all.shape == CLI_QUEUES_FAIR ? print_fair_queue : print_capacity_queue)(&all, q);
    }
    cli_queues_free(&all);
    return rc;
}

/* ---- -list ---- */
enum { COLUMNS = 8 };
static const char *const titles[COLUMNS] = {
    "Queue Name",       "Queue Path",       "State",  "Capacity",
    "Current Capacity", "Maximum Capacity", "Weight", "Maximum Parallel Apps"};

/* A table as Hadoop's FormattingCLIUtils draws it. */
struct box {
    char *(*rows)[COLUMNS];
    size_t n, cap;
    size_t width[COLUMNS];
};

static void add_box_row(struct box *b, const struct cli_queue *q)
{
    struct base_buf cell[COLUMNS] = {{0}};
    base_buf_adds(&cell[0], q->name);
    base_buf_adds(&cell[1], q->path);
    base_buf_adds(&cell[2], get_queue_state(q));
    add_per_cent(q->capacity, &cell[3]);
    add_per_cent(q->current, &cell[4]);
    add_per_cent(q->maximum, &cell[5]);
    add_weight(q, &cell[6]);
    base_buf_addf(&cell[7], "%lld", (long long)cli_int(q->json, "maxParallelApps"));
    base_array_grow(&b->rows, b->n, &b->cap);
    for (size_t i = 0; i < COLUMNS; i++) {
        struct base_buf clean = {0};
        cli_text_add_clean(cell[i].data, &clean);
        base_buf_free(&cell[i]);
        b->width[i] = clean.len > b->width[i] ? clean.len : b->width[i];
        b->rows[b->n][i] = base_buf_take(&clean);
    }
    b->n++;
}

/* Appends @text in the middle of @width columns; an odd blank goes to the right. */
static void add_centered(const char *text, size_t width, struct base_buf *out)
{
    size_t len = strlen(text), left = len < width ? (width - len) / 2 : 0;
    base_buf_addf(out, "%*s%s%*s", (int)left, "", text, len < width ? (int)(width - len - left) : 0,
                  "");
}

static void print_rule(const struct box *b, bool crossed)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        putchar(i == 0 || crossed ? '+' : '-');
        for (size_t k = 0; k < b->width[i] + 2; k++)
            putchar('-');
    }
    puts("+");
}

static void print_cells(const struct box *b, const char *const *cells)
{
    struct base_buf line = {0};
    for (size_t i = 0; i < COLUMNS; i++) {
        base_buf_adds(&line, "|");
        add_centered(cells[i], b->width[i] + 2, &line);
    }
    printf("%s|\n", line.data);
    base_buf_free(&line);
}

static void print_box(struct box *b)
{
    struct base_buf title = {0};
    size_t inner = COLUMNS - 1;
    for (size_t i = 0; i < COLUMNS; i++) {
        b->width[i] = strlen(titles[i]) > b->width[i] ? strlen(titles[i]) : b->width[i];
        inner += b->width[i] + 2;
    }
    char *found = base_printf("%zu queues were found", b->n);
    add_centered(found, inner, &title);
    print_rule(b, false);
    printf("|%s|\n", title.data);
    print_rule(b, true);
    print_cells(b, titles);
    print_rule(b, true);
    for (size_t i = 0; i < b->n; i++)
        print_cells(b, (const char *const *)b->rows[i]);
    if (b->n)
        print_rule(b, true);
    base_buf_free(&title);
    free(found);
}

static void box_free(struct box *b)
{
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < COLUMNS; k++)
            free(b->rows[i][k]);
    free(b->rows);
}

/* Lists the children of @parent, or with "all" every queue below root. */
static int list_queues(struct cli *c, const char *parent)
{
    struct cli_queues all;
    struct box box = {0};
    int rc = cli_queues_fetch(c, &all);
    bool everything = strcasecmp(parent, "all") == 0;
    const struct cli_queue *of =
        everything || rc != CLI_YARN_OK ? NULL : cli_queues_find(&all, parent);
    if (rc == CLI_YARN_OK && c->json) {
        cli_print_json(all.answer);
    } else if (rc == CLI_YARN_OK && !everything && !of) {
        rc = cli_yarn_print_exception("Cannot get any queues under %s from RM,please check.",
                                      parent);
    } else if (rc == CLI_YARN_OK) {
        size_t from = of ? (size_t)(of - all.v) + 1 : all.shape == CLI_QUEUES_FIFO ? 0 : 1;
        for (size_t i = from; i < all.n && (!of || all.v[i].depth > of->depth); i++)
            if (!of || all.v[i].depth == of->depth + 1)
                add_box_row(&box, &all.v[i]);
        print_box(&box);
    }
    box_free(&box);
    cli_queues_free(&all);
    return rc;
}

/* ---- the command ---- */
static int run_action(struct cli *c, const struct cli_yarn_line *line)
{
    if (line->missing)
        return cli_yarn_refuse_usage(line);
    if (cli_yarn_has(line, "status"))
        return line->n_args > 4 ? cli_yarn_refuse_usage(line)
                                : show_queue(c, cli_yarn_value(line, "status"));
    if (cli_yarn_has(line, "help")) {
        cli_yarn_refuse_usage(line);
        return CLI_YARN_OK;
    }
    if (cli_yarn_has(line, "list"))
        return line->n_args != 2 ? cli_yarn_refuse_usage(line)
                                 : list_queues(c, cli_yarn_value(line, "list"));
    fputs("Invalid Command Usage : \n", stderr);
    return cli_yarn_refuse_usage(line);
}

int cli_queue_main(int argc, char **argv)
{
    static const struct argp help = {
        .args_doc = "-list QUEUE\n-status QUEUE",
        .doc = "Lists or shows queues. The options do and print what those of yarn queue do.\v"
               "Examples:\n"
               "  creel queue -list all\n"
               "  creel queue -status default\n\n" CLI_YARN_EXIT_HELP};
    return cli_yarn_main(&help, "queue", options, false, argc, argv, run_action);
}
