/* tests/policy/delay_formulas.h - what delay scheduling should bring, worked out from its paper's
 * formulas.
 * SOURCE: Zaharia et al., EuroSys 2010, section 4. */
#ifndef CREEL_TESTS_POLICY_DELAY_FORMULAS_H
#define CREEL_TESTS_POLICY_DELAY_FORMULAS_H

/* Formula 2: skips D for target locality @l (0..1), @tasks per job, @replicas, @nodes. */
double delay_d_for_locality(double l, double tasks, double replicas, double nodes);
/* Expected locality of a job of @tasks when it skips @d offers: 1 - (1/N) sum_{K=1..N} exp(-R D K /
 * M). */
double delay_locality_of_d(double d, double tasks, double replicas, double nodes);
/* Longest wait: D * T / S, for @slots in all and mean task time @task_s. */
double delay_wait_bound_s(double d, double task_s, double slots);
/* Formula 1: expected time to collect @need slots by waiting: F * T / S. */
double delay_ramp_s(double need, double task_s, double slots);
/* Skips within @w1_s seconds when @freed_per_s slots become free each second. */
double delay_d_of_wait(double w1_s, double freed_per_s);
/* Chance of a local task at one offer with @pending tasks left: 1 - exp(-R D K / M). */
double delay_local_chance(double d, double pending, double replicas, double nodes);
/* Sticky slots: locality is at most 1 - (1 - 1/n)^(R L) with n jobs, R replicas, L slots per
 * node. */
double delay_sticky_bound(double jobs, double replicas, double slots_per_node);
/* Chance that at least one of @offers is local, when each is with probability @p: 1 - (1 -
 * p)^offers. */
double delay_chance_within(double p, double offers);

#endif
