/* api/server/calls.h - statistics of a server's answers by route: numbers, times, bytes.
 *
 *   head read --> handler runs --> answered                 handling, whole
 *                             \--> parked .. --> answered   handling, held, whole
 *
 * A request is counted when it is answered, under a lock that an answer takes anyway. Averages are
 * shown over windows of 10 s, as Hadoop's metrics do: figures of the newest complete window in
 * which there were calls, or of the present one until then. */
#ifndef CREEL_API_SERVER_CALLS_H
#define CREEL_API_SERVER_CALLS_H

#include "api/server/server.h"

struct api_call_times { /* sums, in microseconds */
    int64_t calls, held_calls;
    int64_t handling_us; /* in handlers, on the server's threads */
    int64_t held_us;     /* parked, until the answer */
    int64_t whole_us;    /* from the head to the answer */
};
struct api_call_figures {
    struct api_call_times all;    /* since the start */
    struct api_call_times window; /* of the newest window */
    /* of whole_us and handling_us: the longest, and the sums of the squares */
    int64_t longest_us, longest_handling_us;
    double squares_us2, handling_squares_us2;
    int64_t by_class[6];    /* answers by the first digit of their status */
    int64_t refused;        /* 401 and 403 */
    int64_t received, sent; /* bytes of bodies */
};
/* Adds @from to @to. */
void api_call_figures_add(struct api_call_figures *to, const struct api_call_figures *from);

struct api_server_figures {
    int64_t up_ms;              /* since the server's start */
    int64_t connections;        /* open ones */
    int64_t turned_away;        /* connections refused because of a limit */
    int64_t active, active_max; /* requests that are being read, handled, held or answered */
    int64_t held, held_max;     /* of these, the parked ones */
};

/* Calls @each for every route with its figures, and last with @route NULL for requests that had
 * none. */
void api_server_each_route_figures(struct api_server *s,
                                   void (*each)(const struct api_route *route,
                                                const struct api_call_figures *f, void *u),
                                   void *u);
void api_server_read_figures(struct api_server *s, struct api_server_figures *out);

/* ---- for the server ---- */
/* Sums by windows of API_CALLS_WINDOW_US. */
#define API_CALLS_WINDOW_US INT64_C(10000000)
struct api_call_windows {
    struct api_call_times now, last; /* of the present window, and of the newest one with calls */
    int64_t now_since_us;
};
void api_call_windows_add(struct api_call_windows *w, const struct api_call_times *t,
                          int64_t now_us);
/* Returns the sums of the newest complete window with calls, or of the present one until then. */
const struct api_call_times *api_call_windows_get_last(struct api_call_windows *w, int64_t now_us);

struct api_calls;
struct api_calls *api_calls_new(const struct api_route *routes, size_t n);
void api_calls_free(struct api_calls *c);
/* Counts the answer to @rq with @status. Call with the server's lock held. */
void api_calls_count_answer(struct api_calls *c, const struct api_request *rq, unsigned status);
/* Counts @bytes of a body that are on their way. Needs no lock; may be called on any thread. */
void api_calls_count_sent(struct api_calls *c, const struct api_route *route, uint64_t bytes);
/* Returns the time of the monotonic clock in microseconds. */
int64_t api_calls_now_us(void);

#endif
