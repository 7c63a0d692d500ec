/* sim/engine/event_queue.h - queue of future events, ordered by time, then class, then order of
 * addition. A heap with four children per node: shallow, and siblings are neighbours in memory.
 * An event is two 64-bit words. The queue allocates only to grow. */
#ifndef CREEL_SIM_ENGINE_EVENT_QUEUE_H
#define CREEL_SIM_ENGINE_EVENT_QUEUE_H

#include <stddef.h>
#include <stdint.h>

/* Events at the same time are processed in the order of their classes. */
enum sim_event_class { SIM_CLASS_END, SIM_CLASS_SUBMIT, SIM_CLASS_TIMER, SIM_CLASS_HEARTBEAT };
enum sim_event_kind { SIM_EVENT_TASK_END, SIM_EVENT_SET_UP, SIM_EVENT_COMMITTED, SIM_EVENT_SUBMIT };

#define SIM_INDEX_BITS 24 /* width of the index of the attempt or job that an event is about */
#define SIM_INDEX_MAX  ((UINT32_C(1) << SIM_INDEX_BITS) - 1)

struct sim_event {
    int64_t at_us;
    uint64_t order; /* unique: class (2 bits), serial number (36), kind (2), index (24) */
};
struct sim_queue { /* zero to begin with */
    struct sim_event *v;
    size_t n, cap;
    uint64_t made; /* events added so far */
};

/* Adds an event about the attempt or job @index. Returns the event's order, never 0. */
uint64_t sim_queue_add(struct sim_queue *q, int64_t at_us, enum sim_event_class class,
                       enum sim_event_kind kind, uint32_t index);
/* Removes and returns the earliest event, q->v[0]; the queue must not be empty. */
struct sim_event sim_queue_take_first(struct sim_queue *q);
void sim_queue_free(struct sim_queue *q);

static inline enum sim_event_class sim_event_class_of(const struct sim_event *e)
{
    return (enum sim_event_class)(e->order >> 62);
}
static inline enum sim_event_kind sim_event_kind_of(const struct sim_event *e)
{
    return (enum sim_event_kind)(e->order >> SIM_INDEX_BITS & 3);
}
static inline uint32_t sim_event_index(const struct sim_event *e)
{
    return (uint32_t)e->order & SIM_INDEX_MAX;
}

#endif
