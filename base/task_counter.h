/* base/task_counter.h - what a map or reduce counts while it runs, by the names of Hadoop's
 * counters. Values are records, bytes, files or milliseconds, as the names say. */
#ifndef CREEL_BASE_TASK_COUNTER_H
#define CREEL_BASE_TASK_COUNTER_H

enum base_task_counter {
    BASE_COUNT_MAP_INPUT_RECORDS,
    BASE_COUNT_MAP_INPUT_BYTES,
    BASE_COUNT_MAP_OUTPUT_RECORDS,
    BASE_COUNT_MAP_OUTPUT_BYTES,
    BASE_COUNT_COMBINE_INPUT_RECORDS,
    BASE_COUNT_COMBINE_OUTPUT_RECORDS,
    BASE_COUNT_SPILLED_RECORDS,
    BASE_COUNT_SPILLS, /* files of sorted lines: sort's temporary ones, a map's output, a reduce's
                        * small inputs as one
                        */
    BASE_COUNT_SHUFFLE_BYTES,
    BASE_COUNT_SHUFFLED_MAPS,
    BASE_COUNT_REDUCE_INPUT_RECORDS,
    BASE_COUNT_REDUCE_INPUT_BYTES,
    BASE_COUNT_REDUCE_OUTPUT_RECORDS,
    BASE_COUNT_REDUCE_OUTPUT_BYTES,
    BASE_COUNT_MAP_MILLIS,
    BASE_COUNT_REDUCE_MILLIS,
    BASE_COUNT_CPU_MILLIS,
    BASE_TASK_COUNTERS
};
const char *base_task_counter_name(enum base_task_counter c); /* "MAP_INPUT_RECORDS" */

#endif
