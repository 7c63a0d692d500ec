/* policies/psbs.h - PSBS on one machine: size-based scheduling that survives wrong sizes, O(log jobs) per event.
 *
 * A virtual machine shares its speed among jobs by weight. The lag is the service per unit of weight that it has given
 * since the beginning: a job of size s and weight w that arrives at lag g is virtually over when the lag reaches
 * g + s/w, whatever arrives later, so its key never changes. Really, the job with the smallest key is served (that of
 * FSP). A job that is virtually over but not in reality was larger than it said: it is late, and the late jobs share
 * the machine by weight before all others, so that one wrong size does not hold up everybody. A job that is over in
 * reality stays on the virtual machine until it is virtually over.
 *
 * On a cluster the same order holds with shares in slots: late jobs first, the one with the fewest slots per weight
 * next; then the others by their key. There hfsp.late=psbs uses the virtual cluster's projected finishes as keys.
 *
 * Units: times and sizes in microseconds at speed 1. Ties: earlier arrival.
 * Ownership: jobs belong to the caller; one may go when psbs_end was called for it.
 * SOURCE: Dell'Amico, Carra, Michiardi, "PSBS: Practical Size-Based Scheduling", IEEE Transactions on Computers 2016
 * (arXiv:1410.6122), Algorithm 1; Friedman, Henderson, SIGMETRICS 2003 (FSP). */
#ifndef CREEL_PSBS_H
#define CREEL_PSBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct psbs_job {
    double weight;
    double finish_us; /* virtual; valid when late */
    bool late;
    size_t at;                    /* place in the heap of waiting jobs */
    struct psbs_job *prev, *next; /* among the late ones, in order of virtual finish */
};
struct psbs_entry {
    double key, weight;
    uint64_t seq;
    struct psbs_job *job; /* NULL: over in reality */
};
struct psbs_heap {
    struct psbs_entry *v;
    size_t len, cap;
};
struct psbs {
    double speed, now_us, lag, weights; /* weights: of virtually unfinished jobs */
    uint64_t seq;
    struct psbs_heap waiting, early; /* virtually unfinished: really too, really over */
    struct psbs_job *late, *late_last;
    double late_weights;
    size_t late_n;
};

void psbs_init(struct psbs *p, double speed, double now_us);
void psbs_free(struct psbs *p);
/* Virtual time goes on; jobs may become late. */
void psbs_advance(struct psbs *p, double now_us);
/* Arrives now (advance first) with an estimated @size_us >= 0 (0: late at once) and @weight > 0. */
void psbs_arrive(struct psbs *p, struct psbs_job *job, double size_us, double weight);
/* Really over now (advance first). */
void psbs_end(struct psbs *p, struct psbs_job *job);
/* Who is served when nobody is late; NULL: nobody waits. While there are late jobs they share by weight. */
struct psbs_job *psbs_first(const struct psbs *p);
/* When the next job will be virtually over, nothing arriving; INFINITY: none. */
double psbs_next_us(const struct psbs *p);

#endif
