/* rm/http/pages/tasks.c - the tasks of a job on time lines, a page of them at a time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/io/io.h"
#include "rm/http/pages/pages.h"

#define COUNT(array) (sizeof array / sizeof *array)

struct task_query {
    enum base_task_kind kind;
    uint32_t states; /* 0: all */
    int64_t from;
};

/* An invalid parameter is ignored: the page is about the application. */
static void read_task_query(const struct rm_page *p, const struct rm_app_view *app,
                            struct task_query *q)
{
    const char *kind = api_query(p->rq, "kind"), *state = api_query(p->rq, "task-state"),
               *from = api_query(p->rq, "from");

    *q = (struct task_query){.kind = kind && strcmp(kind, "reduce") == 0         ? BASE_TASK_REDUCE
                                     : !kind && !app->phase[BASE_TASK_MAP].total ? BASE_TASK_REDUCE
                                                                                 : BASE_TASK_MAP};
    for (int s = 0; state && s < RM_TASK_STATES; s++)
        if (strcasecmp(state, rm_task_state_name((enum rm_task_state)s)) == 0)
            q->states = UINT32_C(1) << s;
    if (!from || base_int_parse(from, 0, INT32_MAX, &q->from) < 0)
        q->from = 0;
}

static void open_task_link(struct base_buf *out, const struct rm_page *p,
                           const struct task_query *q, int64_t from)
{
    base_buf_adds(out, "<a href=\"");
    api_html_add_escaped(out, api_path(p->rq));
    base_buf_addf(out, "?kind=%s", rm_page_name_task_kind(q->kind));
    for (int s = 0; s < RM_TASK_STATES; s++)
        if (q->states == UINT32_C(1) << s)
            base_buf_addf(out, "&amp;task-state=%s", rm_task_state_name((enum rm_task_state)s));
    if (from)
        base_buf_addf(out, "&amp;from=%" PRId64, from);
    base_buf_adds(out, "#tasks\"");
}

/* Appends a link to other tasks, marked when the page shows those tasks now. */
static void add_task_choice(struct base_buf *out, const struct rm_page *p,
                            const struct task_query *now, struct task_query q, const char *text,
                            int64_t n)
{
    open_task_link(out, p, &q, 0);
    base_buf_addf(out, "%s>%s (%" PRId64 ")</a> ",
                  now->kind == q.kind && now->states == q.states ? " aria-current=\"true\"" : "",
                  text, n);
}

static void add_task_choices(struct base_buf *out, const struct rm_page *p,
                             const struct rm_app_view *app, const struct task_query *now)
{
    base_buf_adds(out, "<p class=\"more\">");
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        const struct rm_phase_view *f = &app->phase[k];
        const struct {
            uint32_t states;
            const char *text;
            int64_t n;
        } choices[] = {
            {UINT32_C(1) << RM_TASK_PENDING, "pending", f->pending},
            {UINT32_C(1) << RM_TASK_RUNNING, "running", f->running},
            {UINT32_C(1) << RM_TASK_SUSPENDED, "suspended", f->suspended},
            {UINT32_C(1) << RM_TASK_SUCCEEDED, "succeeded", f->succeeded},
        };

        if (!f->total)
            continue;
        add_task_choice(out, p, now, (struct task_query){.kind = k},
                        k == BASE_TASK_MAP ? "All maps" : "All reduces", f->total);
        for (size_t i = 0; i < COUNT(choices) && k == now->kind; i++)
            if (choices[i].n || choices[i].states == now->states)
                add_task_choice(out, p, now,
                                (struct task_query){.kind = k, .states = choices[i].states},
                                choices[i].text, choices[i].n);
    }
    base_buf_adds(out, "</p>\n");
}

static enum rm_page_mood get_task_mood(enum rm_task_state s)
{
    switch (s) {
    case RM_TASK_RUNNING:
        return RM_MOOD_RUN;
    case RM_TASK_SUCCEEDED:
        return RM_MOOD_GOOD;
    case RM_TASK_FAILED:
        return RM_MOOD_BAD;
    case RM_TASK_KILLED:
        return RM_MOOD_IDLE;
    default:
        return RM_MOOD_WAIT;
    }
}

static const char *choose_task_bar_class(const struct rm_task_view *v)
{
    if (v->state == RM_TASK_FAILED)
        return "failed";
    if (v->state == RM_TASK_SUSPENDED || v->state == RM_TASK_KILLED)
        return v->id.kind == BASE_TASK_MAP ? "map still" : "reduce still";
    return rm_page_name_task_kind(v->id.kind);
}

static void add_task_row(struct api_table *t, const struct rm_task_view *v,
                         const struct rm_time_line *line, const struct rm_app_view *app,
                         int64_t now_us)
{
    char id[BASE_ID_TEXT_MAX];
    struct base_buf *out = t->out;
    bool began = v->start_us && v->state != RM_TASK_PENDING;

    api_table_open_row(t, base_task_id_text(&v->id, id));
    api_table_add_cell(t, "%s\xC2\xA0%d", rm_page_name_task_kind(v->id.kind), v->id.index);
    api_table_open_cell(t);
    rm_page_add_state(out, rm_task_state_name(v->state), get_task_mood(v->state));
    api_table_close_cell(t);
    api_table_open_cell(t);
    api_page_add_bar(out, v->progress);
    api_table_close_cell(t);
    api_table_add_cell(t, "%d", v->attempts);
    api_table_open_cell(t);
    if (v->node_id)
        rm_page_add_node_link(out, v->node_http, v->node_id);
    api_table_close_cell(t);
    api_table_open_cell(t);
    if (v->has_container && v->node_http)
        rm_page_add_logs_link(out, v->node_http, &v->container, app->user);
    api_table_close_cell(t);
    api_table_open_cell(t);
    if (began)
        rm_page_add_elapsed_time(out, v->start_us, v->finish_us, now_us);
    api_table_close_cell(t);
    base_buf_adds(out, "<td class=\"time\">");
    rm_time_line_add_bar(out, line, began ? v->start_us : 0, v->finish_us,
                         choose_task_bar_class(v));
    base_buf_adds(out, "</td>");
    t->at++;
    api_table_open_cell(t);
    api_html_add_escaped_cut(out, v->diagnostics, 300);
    api_table_close_cell(t);
    api_table_close_row(t);
}

/* Copies tasks for one page. A search for tasks in rare states ends after 20 000 tasks; the link
 * to further tasks continues it. Returns where it ended. */
static int64_t copy_tasks_for_page(const struct rm_page *p, const struct rm_app_view *app,
                                   const struct task_query *q, struct rm_views *v)
{
    int64_t at = q->from, before;

    for (int rounds = 0; rounds < 20 && v->tasks_n < RM_PAGE_ROWS; rounds++) {
        before = at;
        rm_view_tasks(rm_backend_lock_core(p->b), app->id, q->kind, q->states, &at,
                      RM_PAGE_ROWS - v->tasks_n, v);
        rm_backend_unlock_core(p->b);
        if (at == before)
            break;
    }
    return at;
}

void rm_page_add_tasks(struct base_buf *out, const struct rm_page *p, const struct rm_app_view *app)
{
    static const struct api_column columns[] = {
        {.heading = "Task"},        {.heading = "State"},
        {.heading = "Progress"},    {.heading = "Attempts", .is_number = true},
        {.heading = "Node"},        {.heading = "Logs"},
        {.heading = "Ran for"},     {.heading = "Time line"},
        {.heading = "Diagnostics"},
    };
    struct api_table t = {.out = out, .columns = columns, .columns_n = COUNT(columns)};
    struct rm_time_line line = rm_time_line_of(app, p->now_us);
    struct rm_views v = {0};
    struct task_query q;
    int64_t at;

    if (app->tasks_gone) {
        base_buf_adds(out, "<p>The job ended under an earlier ResourceManager, or its tasks made "
                           "room for others.</p>\n");
        return;
    }
    read_task_query(p, app, &q);
    add_task_choices(out, p, app, &q);
    at = copy_tasks_for_page(p, app, &q, &v);
    if (v.tasks_n) {
        rm_time_line_add_scale(out, &line);
        api_table_open(&t, q.kind == BASE_TASK_MAP ? "Map tasks" : "Reduce tasks");
        for (size_t i = 0; i < v.tasks_n; i++)
            add_task_row(&t, &v.tasks[i], &line, app, p->now_us);
        api_table_close(&t);
    } else {
        base_buf_adds(out, "<p>No such task here.</p>\n");
    }
    base_buf_adds(out, "<p class=\"more\">");
    if (q.from) {
        open_task_link(out, p, &q, 0);
        base_buf_adds(out, ">First tasks</a> ");
    }
    if (at < app->phase[q.kind].total) {
        open_task_link(out, p, &q, at);
        base_buf_adds(out, ">Further tasks</a>");
    }
    base_buf_adds(out, "</p>\n");
    rm_views_free(&v);
}
