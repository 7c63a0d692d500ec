#include "api/server/calls.h"

#include <stdlib.h>
#include <string.h>

#include "api/server/request/request.h"
#include "api/server/server_internal.h"
#include "base/cond.h"

struct counter {               /* of one route */
    struct api_call_figures f; /* without window and sent */
    struct api_call_windows windows;
    _Atomic int64_t sent;
};
struct api_calls {
    const struct api_route *routes;
    size_t n;
    int64_t begun_us;
    struct counter v[]; /* n + 1: the last one for requests without a route */
};

int64_t api_calls_now_us(void)
{
    return base_cond_now_us();
}

struct api_calls *api_calls_new(const struct api_route *routes, size_t n)
{
    struct api_calls *c = base_alloc(sizeof *c + (n + 1) * sizeof *c->v);

    c->routes = routes;
    c->n = n;
    c->begun_us = api_calls_now_us();
    return c;
}

void api_calls_free(struct api_calls *c)
{
    free(c);
}

static struct counter *find_counter(struct api_calls *c, const struct api_route *route)
{
    return &c->v[route ? (size_t)(route - c->routes) : c->n];
}

static int64_t get_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_times(struct api_call_times *to, const struct api_call_times *from)
{
    to->calls += from->calls;
    to->held_calls += from->held_calls;
    to->handling_us += from->handling_us;
    to->held_us += from->held_us;
    to->whole_us += from->whole_us;
}

void api_call_figures_add(struct api_call_figures *to, const struct api_call_figures *from)
{
    add_times(&to->all, &from->all);
    add_times(&to->window, &from->window);
    to->longest_us = get_larger(to->longest_us, from->longest_us);
    to->longest_handling_us = get_larger(to->longest_handling_us, from->longest_handling_us);
    to->squares_us2 += from->squares_us2;
    to->handling_squares_us2 += from->handling_squares_us2;
    for (size_t i = 0; i < sizeof to->by_class / sizeof *to->by_class; i++)
        to->by_class[i] += from->by_class[i];
    to->refused += from->refused;
    to->received += from->received;
    to->sent += from->sent;
}

static void begin_window_if_due(struct api_call_windows *w, int64_t now)
{
    if (now - w->now_since_us < API_CALLS_WINDOW_US)
        return;
    if (w->now.calls)
        w->last = w->now;
    w->now = (struct api_call_times){0};
    w->now_since_us = now;
}

void api_call_windows_add(struct api_call_windows *w, const struct api_call_times *t, int64_t now)
{
    begin_window_if_due(w, now);
    add_times(&w->now, t);
}

const struct api_call_times *api_call_windows_get_last(struct api_call_windows *w, int64_t now)
{
    begin_window_if_due(w, now);
    return w->last.calls ? &w->last : &w->now;
}

static struct api_call_times measure_call_times(const struct api_request *rq, int64_t now)
{
    struct api_call_times t = {.calls = 1, .whole_us = now - rq->begun_us};
    int64_t left = rq->parked_us ? rq->parked_us : now;

    if (rq->handling_since_us)
        t.handling_us = left - rq->handling_since_us;
    if (rq->parked_us) {
        t.held_calls = 1;
        t.held_us = now - rq->parked_us;
    }
    return t;
}

void api_calls_count_answer(struct api_calls *c, const struct api_request *rq, unsigned status)
{
    struct counter *k = find_counter(c, rq->route);
    int64_t now = api_calls_now_us();
    struct api_call_times t = measure_call_times(rq, now);
    unsigned class = status / 100;

    api_call_windows_add(&k->windows, &t, now);
    add_times(&k->f.all, &t);
    k->f.longest_us = get_larger(k->f.longest_us, t.whole_us);
    k->f.longest_handling_us = get_larger(k->f.longest_handling_us, t.handling_us);
    k->f.squares_us2 += (double)t.whole_us * (double)t.whole_us;
    k->f.handling_squares_us2 += (double)t.handling_us * (double)t.handling_us;
    k->f.by_class[class < 6 ? class : 5]++;
    k->f.refused += status == 401 || status == 403;
    k->f.received += (int64_t)rq->received;
}

void api_calls_count_sent(struct api_calls *c, const struct api_route *route, uint64_t bytes)
{
    atomic_fetch_add_explicit(&find_counter(c, route)->sent, (int64_t)bytes, memory_order_relaxed);
}

void api_server_each_route_figures(struct api_server *s,
                                   void (*each)(const struct api_route *route,
                                                const struct api_call_figures *f, void *u),
                                   void *u)
{
    struct api_calls *c = s->calls;
    struct api_call_figures *copies = base_alloc((c->n + 1) * sizeof *copies);
    int64_t now = api_calls_now_us();

    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i <= c->n; i++) {
        struct counter *k = &c->v[i];

        copies[i] = k->f;
        copies[i].window = *api_call_windows_get_last(&k->windows, now);
    }
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i <= c->n; i++) {
        copies[i].sent = atomic_load_explicit(&c->v[i].sent, memory_order_relaxed);
        each(i < c->n ? &c->routes[i] : NULL, &copies[i], u);
    }
    free(copies);
}

void api_server_read_figures(struct api_server *s, struct api_server_figures *out)
{
    *out = (struct api_server_figures){
        .up_ms = (api_calls_now_us() - s->calls->begun_us) / 1000,
        .turned_away = atomic_load(&s->turned_away),
    };
    pthread_mutex_lock(&s->lock);
    out->connections = s->n_conns;
    out->active = s->n_requests;
    out->active_max = s->n_requests_max;
    out->held = s->n_parked;
    out->held_max = s->n_parked_max;
    pthread_mutex_unlock(&s->lock);
}
