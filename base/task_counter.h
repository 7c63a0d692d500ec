/* base/task_counter.h - the counters of a map or reduce task, with names like those of Hadoop. The
 * unit is in the name: records, bytes or milliseconds; spills and shuffled maps are numbers of
 * files. */
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
    /* files of sorted lines: temporary files of the sort, a map's output, and one for all small
     * inputs of a reduce together */
    BASE_COUNT_SPILLS,
    BASE_COUNT_SHUFFLE_BYTES,
    BASE_COUNT_SHUFFLED_MAPS,
    BASE_COUNT_REDUCE_INPUT_RECORDS,
    BASE_COUNT_REDUCE_INPUT_BYTES,
    BASE_COUNT_REDUCE_OUTPUT_RECORDS,
    BASE_COUNT_REDUCE_OUTPUT_BYTES,
    BASE_COUNT_MAP_MILLIS,
    BASE_COUNT_REDUCE_MILLIS,
    BASE_COUNT_CPU_MILLIS,
    BASE_COUNT_SHUFFLE_MILLIS, /* of a reduce: from its start to the arrival of the last output */
    BASE_COUNT_MERGE_MILLIS,   /* from then on to the first merged line */
    BASE_COUNT_FAILED_SHUFFLE, /* fetches of map outputs that have failed, and were tried again */
    BASE_COUNT_REDUCE_CPU_MILLIS, /* the part of CPU_MILLIS that reduces have used */
    BASE_TASK_COUNTERS
};
const char *base_task_counter_name(enum base_task_counter c); /* "MAP_INPUT_RECORDS" */

#endif
