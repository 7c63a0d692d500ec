/* The arithmetic of delay scheduling. SOURCE: Zaharia et al., EuroSys 2010, section 4. */
#include "tests/policy/delay_formulas.h"

#include <math.h>

double delay_d_for_locality(double l, double tasks, double replicas, double nodes)
{
    double x = (1 - l) * tasks;

    return -(nodes / replicas) * log(x / (1 + x));
}

double delay_locality_of_d(double d, double tasks, double replicas, double nodes)
{
    double sum = 0;

    for (int k = 1; k <= (int)tasks; k++)
        sum += exp(-replicas * d * k / nodes);
    return 1 - sum / tasks;
}

double delay_wait_bound_s(double d, double task_s, double slots)
{
    return d * task_s / slots;
}

double delay_ramp_s(double need, double task_s, double slots)
{
    return need * task_s / slots;
}

double delay_d_of_wait(double w1_s, double freed_per_s)
{
    return w1_s * freed_per_s;
}

double delay_local_chance(double d, double pending, double replicas, double nodes)
{
    return 1 - exp(-replicas * d * pending / nodes);
}

double delay_sticky_bound(double jobs, double replicas, double slots_per_node)
{
    return 1 - pow(1 - 1 / jobs, replicas * slots_per_node);
}

double delay_chance_within(double p, double offers)
{
    return 1 - pow(1 - p, offers);
}
