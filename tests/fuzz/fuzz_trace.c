/* Any bytes as a trace: the first line names the format ("swim", "sls", "csv", "jsonl"; with "!"
 * behind it bad lines are passed over). Refused with the place and a reason, or jobs that can be
 * simulated; they come in order, and what is written of them reads back as the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/input/source.h"
#include "sim/input/trace_csv.h"
#include "sim/input/trace_jsonl.h"
#include "tests/fuzz/fuzz.h"
#include "tests/sim/trace_write.h"

#define JOBS_MAX  2000 /* job.count may stand for millions */
#define TASKS_MAX 1000 /* of a job that is written */

const char *const creel_fuzz_samples[] = {
    "swim\njob0\t49\t49\t740773\t2339561\t627471\njob1\t101\t52\t736346\t0\t432269\t/in/0\n",
    "swim!\njob0\t49\t49\t740773\t2339561\t627471\nx\njob1\t101.5\t52\t736346\t0\t432269\n",
    "sls\n{\"num.nodes\":3,\"num.racks\":1}\n{\"am.type\":\"mapreduce\",\"job.start.ms\":\"0\","
    "\"job.id\":\"job_1\","
    "\"job.count\":2,\"job.tasks\":[{\"count\":2,\"container.host\":\"/r/"
    "n1\",\"container.start.ms\":6664,"
    "\"container.end.ms\":23707},{\"duration.ms\":50000,\"container.type\":\"reduce\"}]}\n",
    "sls!\n[{\"job.start.ms\":5,\"job.tasks\":[{\"duration.ms\":1}]},{\"job.start.ms\":\"x\"}]",
    "csv\nid,name,class,pool,user,submit_s,weight,priority,after,gap_s,deadline_s,maps,reduces,map_"
    "s,located\n"
    "1,a,b,c,d,0.5,2,-1,,3,600,4,1,2.5,false\n2,\"x,\"\"y\"\"\",,,,1,,,1,,,,,,\n",
    "csv!\nsubmit_s,input_bytes,shuffle_bytes,output_bytes,selectivity,split_bytes,f_off\n1,"
    "1000000000,5,7,,,\n2,3,x,,,"
    ",\n"
    "0,9,9,9,0.5,3,2\n",
    "jsonl\n{\"version\":1,\"id\":7,\"submit_s\":1.5,\"map_durations_s\":[2,3.5],\"reduces\":1,"
    "\"map_hosts\":[[\"a\","
    "\"b\"],"
    "[\"c\"]],\"app\":\"application_1_1\",\"map_expected_s\":true,\"time_0_ms\":5}\n{\"id\":\"n\","
    "\"submit_s\":2,"
    "\"maps\":1,"
    "\"map_nodes\":[[4,5]]}\n",
    "jsonl!\n{\"submit_s\":1,\"maps\":2,\"map\":3}\n{\"submit_s\":1e3,\"maps\":2,\"user\":"
    "\"\\u00e9\"}\n",
    NULL,
};

static void check_job(const struct sim_job *j, int64_t last_us)
{
    base_assert(j->submit_us >= last_us && j->id > 0 && j->weight > 0 && j->selectivity >= 0);
    base_assert(j->tasks[BASE_TASK_MAP] >= 0 && j->tasks[BASE_TASK_REDUCE] >= 0 &&
                j->tasks[BASE_TASK_MAP] + j->tasks[BASE_TASK_REDUCE] > 0);
    base_assert(j->split_bytes >= 0 && (double)j->split_bytes * j->tasks[BASE_TASK_MAP] < 4e18 &&
                j->partition_bytes >= 0);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        base_assert(!j->tasks[k] || j->base_us[k] >= 1);
    base_assert(!j->replica_nodes || (j->replicas >= 1 && j->replicas <= SIM_REPLICAS_MAX));
}

/* Checks that the job, written, read and written again, has the same text. */
static void check_written(const struct sim_job *j, bool json)
{
    const struct sim_source_conf conf = {0};
    struct base_buf a = {0}, b = {0};
    struct base_error err;
    struct sim_source *s;
    struct sim_job again;
    FILE *in;

    json ? trace_write_json_job(j, &a) : (trace_write_csv_header(&a), trace_write_csv_job(j, &a));
    in = fmemopen(a.data, a.len, "r");
    s = sim_source_open_stream(json ? "jsonl" : "csv", in, &conf, &err);
    sim_job_init(&again);
    base_assert(s && sim_source_next_job(s, &again, &err) == 1);
    json ? trace_write_json_job(&again, &b)
         : (trace_write_csv_header(&b), trace_write_csv_job(&again, &b));
    base_assert(a.len == b.len && memcmp(a.data, b.data, a.len) == 0);
    sim_job_clear(&again);
    sim_source_close(s);
    fclose(in);
    base_buf_free(&a);
    base_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, '\n', size < 8 ? size : 8);
    struct sim_source_conf conf = {.nodes = 7};
    struct base_error err = {0};
    struct sim_source *s = NULL;
    struct sim_job job;
    int64_t last_us = 0;
    size_t head = end ? (size_t)(end - data) + 1 : 0;
    char kind[8] = "";
    FILE *in;
    int rc = 0;

    if (head < 2 || head == size)
        return 0;
    conf.skip_bad = data[head - 2] == '!';
    memcpy(kind, data, head - 1 - conf.skip_bad);
    in = fmemopen((void *)(uintptr_t)(data + head), size - head, "r");
    if (in)
        s = sim_source_open_stream(kind, in, &conf, &err);
    sim_job_init(&job);
    for (int n = 0; s && n < JOBS_MAX && (rc = sim_source_next_job(s, &job, &err)) > 0; n++) {
        check_job(&job, last_us);
        last_us = job.submit_us;
        if (n < 20 && job.tasks[BASE_TASK_MAP] <= TASKS_MAX &&
            job.tasks[BASE_TASK_REDUCE] <= TASKS_MAX) {
            check_written(&job, true);
            if (!job.task_us[BASE_TASK_MAP] && !job.task_us[BASE_TASK_REDUCE] && !job.replica_nodes)
                check_written(&job, false);
        }
        sim_job_clear(&job);
    }
    base_assert(rc >= 0 || (err.text[0] && err.code == rc));
    sim_source_close(s);
    if (in)
        fclose(in);
    return 0;
}
