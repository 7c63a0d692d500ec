/* Goal: MapReduce's REST shows a job of Creel's as it is: while it runs at its proxy path, after
 * its end in the history; every attempt of its tasks, also after another ResourceManager has taken
 * over; Hadoop's counters with the values that the tasks have reported. Method: daemons of this
 * process, and a node played over HTTP; documents are compared whole, with times and ids masked. */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/server/server.h"
#include "base/conf/conf.h"
#include "base/io/io.h"
#include "rm/http/mapreduce/mapreduce.h"
#include "tests/unit/master_over_http.h"
#include "tests/unit/simple_conf.h"

static char number_of_app[64]; /* "<cluster time>_<number>" */

/* ---- asking ---- */

/* Replaces @app's number by "#", dates in ms by "T", and the time since the start by "E". */
static char *mask(const char *text)
{
    static const char elapsed[] = "\"elapsedTime\":";
    struct base_buf out = {0};
    size_t n = strlen(number_of_app);

    while (*text) {
        size_t digits = strspn(text, "0123456789");

        if (strncmp(text, number_of_app, n) == 0) {
            base_buf_adds(&out, "#");
            text += n;
        } else if (strncmp(text, elapsed, strlen(elapsed)) == 0) {
            base_buf_addf(&out, "%sE", elapsed);
            text += strlen(elapsed);
            text += strspn(text, "0123456789");
        } else if (digits >= 13) {
            base_buf_adds(&out, "T");
            text += digits;
        } else {
            base_buf_add(&out, text, digits ? digits : 1);
            text += digits ? digits : 1;
        }
    }
    base_buf_adds(&out, "");
    return base_buf_take(&out);
}

/* Sends a request to the path @pattern, in which "#" stands for the number of the application. */
static void send_to(const char *method, const char *pattern, const char *headers, const char *body,
                    struct client_answer *a)
{
    struct base_buf path = {0};

    for (; *pattern; pattern++) {
        if (*pattern == '#')
            base_buf_adds(&path, number_of_app);
        else
            base_buf_add(&path, pattern, 1);
    }
    client_do(rms[0].port, method, path.data, headers, body, a);
    base_buf_free(&path);
}

static void expect(const char *method, const char *pattern, const char *body, int status,
                   const char *want)
{
    struct client_answer a;
    char *got;

    send_to(method, pattern, body ? JSON : NULL, body, &a);
    got = mask(a.body.data ? a.body.data : "");
    if (a.status != status || (want && strcmp(got, want) != 0))
        printf("\n    %s %s: %d\n    got  %s\n    want %s\n", method, pattern, a.status, got,
               want ? want : "");
    CU_ASSERT_EQUAL(a.status, status);
    if (want)
        CU_ASSERT_STRING_EQUAL(got, want);
    free(got);
    client_free(&a);
}

#define PROXY "/proxy/application_#/ws/v1/mapreduce"
#define JOB   PROXY "/jobs/job_#"
#define MAP   JOB "/tasks/task_#_m_000000"
#define HIST  "/ws/v1/history/mapreduce/jobs"
#define HJOB  HIST "/job_#"

/* In @want, ' stands for ". */
static void expect_got(const char *pattern, const char *want)
{
    char *text = base_strdup(want);

    for (char *p = text; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    expect("GET", pattern, NULL, 200, text);
    free(text);
}

static void expect_not_found(const char *pattern, const char *message)
{
    char *want =
        base_printf("{\"RemoteException\":{\"exception\":\"NotFoundException\",\"message\":"
                    "\"java.lang.Exception: %s\",\"javaClassName\":"
                    "\"org.apache.hadoop.yarn.webapp.NotFoundException\"}}",
                    message);

    expect("GET", pattern, NULL, 404, want);
    free(want);
}

static void expect_refused(const char *method, const char *pattern, const char *body,
                           const char *message)
{
    char *want = base_printf("{\"RemoteException\":{\"exception\":\"BadRequestException\","
                             "\"message\":\"java.lang.Exception: %s\",\"javaClassName\":"
                             "\"org.apache.hadoop.yarn.webapp.BadRequestException\"}}",
                             message);

    expect(method, pattern, body, 400, want);
    free(want);
}

/* ---- playing ---- */

static void submit(const char *tasks)
{
    char *body = base_printf("{\"job\":{\"name\":\"n\",\"user\":\"u\",\"max-attempts\":2,"
                             "\"tasks\":[%s]}}",
                             tasks);
    json_t *j = ask("POST", "/ws/v1/cluster/jobs", JSON, body, 201);

    snprintf(app, sizeof app, "%s", str(json_object_get(j, "job"), "id"));
    snprintf(number_of_app, sizeof number_of_app, "%s", app + strlen("application_"));
    json_decref(j);
    free(body);
}

/* The container that the newest order of each kind named; "" once it was awaited. */
static char launched[80], killed[80], forgotten[80];

static void note_order(const json_t *order, const char *type, char container[static 80])
{
    if (strcmp(str(order, "type"), type) == 0)
        snprintf(container, 80, "%s", str(order, "container"));
}

static void send_beat(const char *containers)
{
    json_t *answer, *orders = beat(containers, &answer), *o;
    size_t i;

    json_array_foreach(orders, i, o)
    {
        note_order(o, "launch", launched);
        note_order(o, "kill", killed);
        note_order(o, "forget", forgotten);
    }
    json_decref(answer);
}

/* Sends heartbeats until @ordered (launched, killed or forgotten) names a container, which moves to
 * @container. */
static void await_order(char ordered[static 80], char container[static 80])
{
    for (int i = 0; i < 4000 && !ordered[0]; i++) {
        send_beat("");
        if (!ordered[0])
            poll(NULL, 0, 5);
    }
    CU_ASSERT_TRUE_FATAL(ordered[0] != '\0');
    memcpy(container, ordered, 80);
    ordered[0] = '\0';
}

/* Reports @container; @more: further members of the report. */
static void report(const char *container, const char *state, const char *more)
{
    char *body = base_printf("{\"id\":\"%s\",\"state\":\"%s\"%s}", container, state, more);

    send_beat(body);
    free(body);
}

static void await_state(const char *state)
{
    char path[96], *want = base_printf("{\"state\":\"%s\"}", state);
    bool there = false;

    snprintf(path, sizeof path, "/ws/v1/cluster/apps/%s/state", app);
    for (int i = 0; i < 4000 && !there; i++) {
        struct client_answer a;

        client_do(rms[0].port, "GET", path, NULL, NULL, &a);
        there = a.status == 200 && strcmp(a.body.data, want) == 0;
        client_free(&a);
        if (!there)
            poll(NULL, 0, 5);
    }
    CU_ASSERT_TRUE_FATAL(there);
    free(want);
}

static void begin_job(const char *tasks)
{
    launched[0] = killed[0] = forgotten[0] = '\0';
    lead();
    submit(tasks);
}

/* ---- cases ---- */

#define MAP_AND_REDUCE "{\"command\":\"m\"},{\"kind\":\"reduce\",\"command\":\"r\"}"
#define REDUCE         JOB "/tasks/task_#_r_000000"
#define ATTEMPT        MAP "/attempts/attempt_#_m_000000_0"
#define DATES          "'startTime':T,'finishTime':0,'elapsedTime':E,"
#define RUNNING_MAP                                                                                \
    DATES "'progress':25.0,'id':'task_#_m_000000','state':'RUNNING','type':'MAP',"                 \
          "'successfulAttempt':'','status':'map'"
#define COMING_REDUCE                                                                              \
    DATES "'progress':0.0,'id':'task_#_r_000000','state':'SCHEDULED','type':'REDUCE',"             \
          "'successfulAttempt':'','status':'NEW'"
#define RUNNING_ATTEMPT                                                                            \
    DATES "'progress':25.0,'id':'attempt_#_m_000000_0','rack':'/default-rack',"                    \
          "'state':'RUNNING','status':'map','nodeHttpAddress':'h1:9','diagnostics':'',"            \
          "'type':'MAP','assignedContainerId':'container_#_01_000002'"
#define RUNNING_JOB                                                                                \
    DATES "'id':'job_#','name':'n','user':'u','queue':'root.default','state':'RUNNING',"           \
          "'mapsTotal':1,'mapsCompleted':0,'reducesTotal':1,'reducesCompleted':0,"                 \
          "'mapProgress':25.0,'reduceProgress':0.0,'mapsPending':0,'mapsRunning':1,"               \
          "'reducesPending':1,'reducesRunning':0,'uberized':false,'diagnostics':'',"               \
          "'newReduceAttempts':1,'runningReduceAttempts':0,'failedReduceAttempts':0,"              \
          "'killedReduceAttempts':0,'successfulReduceAttempts':0,'newMapAttempts':0,"              \
          "'runningMapAttempts':1,'failedMapAttempts':0,'killedMapAttempts':0,"                    \
          "'successfulMapAttempts':0"
#define JOB_COUNTER(name, n)                                                                       \
    "{'name':'" name "','totalCounterValue':" n ",'mapCounterValue':0,'reduceCounterValue':0}"
#define JOB_GROUP "{'counterGroupName':'org.apache.hadoop.mapreduce.JobCounter','counter':["

static void expect_moved_to_page(const char *pattern)
{
    struct client_answer a;
    char *line = base_printf("Location: %s/cluster/app/%s", rms[0].url, app);

    send_to("GET", pattern, NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 302);
    CU_ASSERT_TRUE(client_has(&a, line));
    client_free(&a);
    free(line);
}

static void begin_with_running_map(const char *tasks, char map[static 80])
{
    begin_job(tasks);
    await_order(launched, map);
    report(map, "running", ",\"progress\":0.25");
    await_state("RUNNING");
}

static void test_running_job(void)
{
    char map[80];

    begin_with_running_map(MAP_AND_REDUCE, map);
    expect_got(PROXY, "{'info':{'appId':'application_#','name':'n','user':'u','startedOn':T,"
                      "'elapsedTime':E}}");
    expect_got(PROXY "/info/", "{'info':{'appId':'application_#','name':'n','user':'u',"
                               "'startedOn':T,'elapsedTime':E}}");
    expect_got(PROXY "/blacklistednodes", "{'blacklistednodesinfo':{}}");
    expect_got(JOB, "{'job':{" RUNNING_JOB "}}");
    expect_got(PROXY "/jobs", "{'jobs':{'job':[{" RUNNING_JOB "}]}}");
    expect_got(JOB "/jobattempts",
               "{'jobAttempts':{'jobAttempt':[{'nodeHttpAddress':'','nodeId':'','id':1,"
               "'startTime':T,'containerId':'','logsLink':''}]}}");
    /* clang-format off */
    expect_got(JOB "/counters", "{'jobCounters':{'id':'job_#','counterGroup':[" JOB_GROUP
               JOB_COUNTER("TOTAL_LAUNCHED_MAPS", "1") "," JOB_COUNTER("OTHER_LOCAL_MAPS", "1")
               "]}]}}");
    /* clang-format on */
    expect_got(JOB "/tasks", "{'tasks':{'task':[{" RUNNING_MAP "},{" COMING_REDUCE "}]}}");
    expect_got(JOB "/tasks?type=m", "{'tasks':{'task':[{" RUNNING_MAP "}]}}");
    expect_got(JOB "/tasks?type=r", "{'tasks':{'task':[{" COMING_REDUCE "}]}}");
    expect_got(MAP, "{'task':{" RUNNING_MAP "}}");
    expect_got(MAP "/counters", "{'jobTaskCounters':{'id':'task_#_m_000000'}}");
    expect_got(MAP "/attempts", "{'taskAttempts':{'taskAttempt':[{" RUNNING_ATTEMPT "}]}}");
    expect_got(ATTEMPT, "{'taskAttempt':{" RUNNING_ATTEMPT "}}");
    expect_got(ATTEMPT "/counters", "{'jobTaskAttemptCounters':{'id':'attempt_#_m_000000_0'}}");
    expect_got(ATTEMPT "/state", "{'state':'RUNNING'}");
    expect_got(REDUCE "/attempts",
               "{'taskAttempts':{'taskAttempt':[{'startTime':0,'finishTime':0,'elapsedTime':E,"
               "'progress':0.0,'id':'attempt_#_r_000000_0','state':'STARTING','status':'NEW',"
               "'diagnostics':'','type':'REDUCE','shuffleFinishTime':0,'mergeFinishTime':0,"
               "'elapsedShuffleTime':0,'elapsedMergeTime':0,'elapsedReduceTime':0}]}}");
    expect_moved_to_page("/proxy/application_#/mapreduce"); /* there are no pages of a master */
    expect_moved_to_page("/proxy/application_#/ws/v1/mapreducer");
    end();
}

static void test_job_that_waits(void)
{
    begin_job("{\"command\":\"m\"}");
    expect_moved_to_page(PROXY "/info");                /* as before a master has registered */
    expect_not_found(HJOB, "job, job_#, is not found"); /* it has not ended */
    end();
}

static void test_xml(void)
{
    struct client_answer a;
    char map[80], *got;

    begin_with_running_map("{\"command\":\"m\"}", map);
    send_to("GET", PROXY "/jobs", "Accept: application/xml\r\n", NULL, &a);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/xml; charset=utf-8"));
    got = mask(a.body.data);
    CU_ASSERT_PTR_NOT_NULL(strstr(got, "<jobs><job><startTime>T</startTime>"));
    CU_ASSERT_PTR_NOT_NULL(strstr(got, "<mapProgress>25.0</mapProgress>"));
    free(got);
    client_free(&a);
    send_to("PUT", ATTEMPT "/state", "Accept: application/xml\r\nContent-Type: application/xml\r\n",
            "<jobTaskAttemptState><state>RUNNING</state></jobTaskAttemptState>", &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_STRING_EQUAL(a.body.data,
                           "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"
                           "<jobTaskAttemptState><state>RUNNING</state></jobTaskAttemptState>");
    client_free(&a);
    end();
}

static void test_mistakes(void)
{
    char map[80];

    begin_with_running_map("{\"command\":\"m\"}", map);
    expect_not_found(PROXY "/jobs/nonsense", "JobId string : nonsense is not properly formed");
    expect_not_found(PROXY "/jobs/job_1_0099", "job, job_1_0099, is not found");
    expect_not_found(PROXY "/jobs/job_1_0099/tasks", "job, job_1_0099, is not found");
    expect_not_found(JOB "/tasks/n%C3%A4x",
                     "TaskId string : n\303\244x is not properly formed\\nReason: "
                     "java.util.regex.Matcher[pattern=task_(\\\\d+)_(\\\\d+)_(m|r|s|c|t)_(\\\\d+) "
                     "region=0,3 lastmatch=]");
    expect_not_found(JOB "/tasks/task_#_m_000001", "task not found with id task_#_m_000001");
    expect_not_found(JOB "/tasks/task_#_s_000000", "task not found with id task_#_s_000000");
    expect_not_found(JOB "/tasks/task_1_0099_m_000000",
                     "task not found with id task_1_0099_m_000000");
    expect_not_found(MAP "/attempts/x", "TaskAttemptId string : x is not properly formed");
    expect_not_found(MAP "/attempts/attempt_", "TaskAttemptId string : attempt_ is not properly "
                                               "formed");
    expect_not_found(MAP "/attempts/attempt_#_m_000000_1",
                     "Error getting info on task attempt id attempt_#_m_000000_1");
    expect_not_found(MAP "/attempts/attempt_#_r_000000_0/state",
                     "Error getting info on task attempt id attempt_#_r_000000_0");
    expect_refused("GET", JOB "/tasks?type=x", NULL, "tasktype must be either m or r");
    expect_refused("PUT", ATTEMPT "/state", "{\"state\":\"SUCCEEDED\"}",
                   "Only 'KILLED' is allowed as a target state.");
    expect("PUT", ATTEMPT "/state", "{}", 503, NULL);
    expect("PUT", ATTEMPT "/state", "", 400, NULL);
    expect("PUT", PROXY "/info", "{}", 503, NULL);
    expect("POST", ATTEMPT "/state", "{}", 405, NULL);
    expect("DELETE", ATTEMPT "/state", NULL, 405, NULL);
    expect("GET", PROXY "/nothing", NULL, 404, NULL);
    expect("GET", PROXY "//info", NULL, 404, NULL);
    expect("GET", PROXY "/jobs//tasks", NULL, 404, NULL);
    expect("GET", PROXY "/jobs/../info", NULL, 400, NULL);
    expect("GET", PROXY "/jobs/%00", NULL, 400, NULL);
    end();
}

#define PAST(number, state, diagnostics, container)                                                \
    "{'startTime':T,'finishTime':T,'elapsedTime':E,'progress':100.0,'id':'attempt_#_m_000000_"     \
    "" number "','rack':'/default-rack','state':'" state "','status':'map',"                       \
    "'nodeHttpAddress':'h1:9','diagnostics':'" diagnostics "','type':'MAP',"                       \
    "'assignedContainerId':'container_#_01_00000" container "'}"
#define COMING(number)                                                                             \
    "{'startTime':0,'finishTime':0,'elapsedTime':E,'progress':0.0,'id':'attempt_#_m_000000_"       \
    "" number "','state':'STARTING','status':'NEW','diagnostics':'','type':'MAP'}"

/* The leadership ends and begins again; the node registers, with nothing running. */
static void lead_again(void)
{
    int64_t epoch;
    struct ha_store *store;

    rms_end(0);
    store = memory_open("master", &epoch);
    rms_lead(0, store, epoch);
    response_id = 0;
    json_decref(node("register", "{\"nodeId\":\"h1:1\",\"httpAddress\":\"h1:9\",\"instance\":\"j\","
                                 "\"bootId\":\"b\",\"version\":\"" CREEL_VERSION "\","
                                 "\"mapSlots\":0,\"reduceSlots\":0}"));
}

/* A killed attempt does not count against its task, a failed one does; both are remembered. */
static void test_attempts_that_end(void)
{
    char map[80], order[80];

    begin_with_running_map("{\"command\":\"m\"}", map);
    expect("PUT", ATTEMPT "/state?user.name=eve", "{\"state\":\"KILLED\"}", 200,
           "{\"state\":\"KILLED\"}");
    await_order(killed, order);
    CU_ASSERT_STRING_EQUAL(order, map);
    report(map, "complete", ",\"exitCode\":143,\"diagnostics\":\"by eve\"");
    await_order(launched, map);
    report(map, "complete", ",\"exitCode\":3,\"diagnostics\":\"disk\"");
    /* clang-format off */
    expect_got(JOB "/counters", "{'jobCounters':{'id':'job_#','counterGroup':[" JOB_GROUP
               JOB_COUNTER("NUM_FAILED_MAPS", "1") "," JOB_COUNTER("NUM_KILLED_MAPS", "1") ","
               JOB_COUNTER("TOTAL_LAUNCHED_MAPS", "3") "," JOB_COUNTER("OTHER_LOCAL_MAPS", "3")
               "]}]}}");
    /* clang-format on */
    for (order[0] = '\0'; strcmp(order, map) != 0;) /* until the record of its end is durable */
        await_order(forgotten, order);
    lead_again();
    /* clang-format off */
    expect_got(MAP "/attempts", "{'taskAttempts':{'taskAttempt':["
               PAST("0", "KILLED", "Exit code: -105", "2") "," PAST("1", "FAILED", "disk", "3") ","
               COMING("1000") "]}}");
    /* clang-format on */
    expect_got(ATTEMPT "/state", "{'state':'KILLED'}");
    expect("PUT", ATTEMPT "/state", "{\"state\":\"KILLED\"}", 200, "{\"state\":\"KILLED\"}");
    end();
}

#define TASK_COUNTER(name, n) "{'name':'" name "','value':" n "}"
#define BOTH_COUNTER(name, total, map, reduce)                                                     \
    "{'name':'" name "','totalCounterValue':" total ",'mapCounterValue':" map                      \
    ",'reduceCounterValue':" reduce "}"
#define GROUP(name) "{'counterGroupName':'org.apache.hadoop.mapreduce." name "','counter':["

static void run_to_the_end(void)
{
    char map[80], reduce[80];

    begin_with_running_map(MAP_AND_REDUCE, map);
    report(map, "complete",
           ",\"exitCode\":0,\"counters\":{\"MAP_INPUT_RECORDS\":5,\"MAP_INPUT_BYTES\":50,"
           "\"MAP_OUTPUT_RECORDS\":6,\"MAP_OUTPUT_BYTES\":60,\"SPILLED_RECORDS\":6,"
           "\"MAP_MILLIS\":1000,\"CPU_MILLIS\":700}");
    await_order(launched, reduce);
    report(reduce, "complete",
           ",\"exitCode\":0,\"slot\":\"reduce\",\"counters\":{\"SHUFFLE_BYTES\":61,"
           "\"SHUFFLED_MAPS\":1,\"FAILED_SHUFFLE\":2,\"REDUCE_INPUT_RECORDS\":6,"
           "\"REDUCE_OUTPUT_RECORDS\":4,\"REDUCE_OUTPUT_BYTES\":40,\"REDUCE_MILLIS\":500,"
           "\"SHUFFLE_MILLIS\":300,\"MERGE_MILLIS\":50,\"CPU_MILLIS\":90,"
           "\"REDUCE_CPU_MILLIS\":90}");
    await_state("FINISHED");
}

#define ENDED_JOB                                                                                  \
    "'submitTime':T,'startTime':T,'finishTime':T,'id':'job_#','name':'n',"                         \
    "'queue':'root.default','user':'u','state':'SUCCEEDED','mapsTotal':1,'mapsCompleted':1,"       \
    "'reducesTotal':1,'reducesCompleted':1"
#define HREDUCE HJOB "/tasks/task_#_r_000000"

static void test_history(void)
{
    run_to_the_end();
    expect_got(HIST, "{'jobs':{'job':[{" ENDED_JOB "}]}}");
    expect_got(HJOB, "{'job':{" ENDED_JOB ",'uberized':false,'diagnostics':'','avgMapTime':1000,"
                     "'avgReduceTime':150,'avgShuffleTime':300,'avgMergeTime':50,"
                     "'failedReduceAttempts':0,'killedReduceAttempts':0,"
                     "'successfulReduceAttempts':1,'failedMapAttempts':0,'killedMapAttempts':0,"
                     "'successfulMapAttempts':1}}");
    expect_got(HJOB "/tasks?type=m",
               "{'tasks':{'task':[{'startTime':T,'finishTime':T,'elapsedTime':E,'progress':100.0,"
               "'id':'task_#_m_000000','state':'SUCCEEDED','type':'MAP',"
               "'successfulAttempt':'attempt_#_m_000000_0'}]}}");
    /* clang-format off */
    expect_got(HJOB "/counters", "{'jobCounters':{'id':'job_#','counterGroup':[" JOB_GROUP
               JOB_COUNTER("TOTAL_LAUNCHED_MAPS", "1") ","
               JOB_COUNTER("TOTAL_LAUNCHED_REDUCES", "1") "," JOB_COUNTER("OTHER_LOCAL_MAPS", "1")
               "," JOB_COUNTER("SLOTS_MILLIS_MAPS", "1000") ","
               JOB_COUNTER("SLOTS_MILLIS_REDUCES", "500") "," JOB_COUNTER("MILLIS_MAPS", "1000")
               "," JOB_COUNTER("MILLIS_REDUCES", "500") ","
               JOB_COUNTER("VCORES_MILLIS_MAPS", "1000") ","
               JOB_COUNTER("VCORES_MILLIS_REDUCES", "500") ","
               JOB_COUNTER("MB_MILLIS_MAPS", "2048000") ","
               JOB_COUNTER("MB_MILLIS_REDUCES", "1024000") "]}," GROUP("TaskCounter")
               BOTH_COUNTER("MAP_INPUT_RECORDS", "5", "5", "0") ","
               BOTH_COUNTER("MAP_OUTPUT_RECORDS", "6", "6", "0") ","
               BOTH_COUNTER("MAP_OUTPUT_BYTES", "60", "60", "0") ","
               BOTH_COUNTER("COMBINE_INPUT_RECORDS", "0", "0", "0") ","
               BOTH_COUNTER("COMBINE_OUTPUT_RECORDS", "0", "0", "0") ","
               BOTH_COUNTER("REDUCE_SHUFFLE_BYTES", "61", "0", "61") ","
               BOTH_COUNTER("REDUCE_INPUT_RECORDS", "6", "0", "6") ","
               BOTH_COUNTER("REDUCE_OUTPUT_RECORDS", "4", "0", "4") ","
               BOTH_COUNTER("SPILLED_RECORDS", "6", "6", "0") ","
               BOTH_COUNTER("SHUFFLED_MAPS", "1", "0", "1") ","
               BOTH_COUNTER("FAILED_SHUFFLE", "2", "0", "2") ","
               BOTH_COUNTER("MERGED_MAP_OUTPUTS", "1", "0", "1") ","
               BOTH_COUNTER("GC_TIME_MILLIS", "0", "0", "0") ","
               BOTH_COUNTER("CPU_MILLISECONDS", "790", "700", "90") "]},"
               GROUP("lib.input.FileInputFormatCounter")
               BOTH_COUNTER("BYTES_READ", "50", "50", "0") "]},"
               GROUP("lib.output.FileOutputFormatCounter")
               BOTH_COUNTER("BYTES_WRITTEN", "40", "0", "40") "]}]}}");
    /* clang-format on */
    /* clang-format off */
    expect_got(HREDUCE "/counters",
               "{'jobTaskCounters':{'id':'task_#_r_000000','taskCounterGroup':["
               GROUP("TaskCounter") TASK_COUNTER("COMBINE_INPUT_RECORDS", "0") ","
               TASK_COUNTER("COMBINE_OUTPUT_RECORDS", "0") ","
               TASK_COUNTER("REDUCE_SHUFFLE_BYTES", "61") ","
               TASK_COUNTER( "REDUCE_INPUT_RECORDS", "6") ","
               TASK_COUNTER("REDUCE_OUTPUT_RECORDS", "4") "," TASK_COUNTER("SPILLED_RECORDS", "0")
               "," TASK_COUNTER("SHUFFLED_MAPS", "1") "," TASK_COUNTER("FAILED_SHUFFLE", "2") ","
               TASK_COUNTER("MERGED_MAP_OUTPUTS", "1") "," TASK_COUNTER("GC_TIME_MILLIS", "0") ","
               TASK_COUNTER("CPU_MILLISECONDS", "90") "]},"
               GROUP("lib.output.FileOutputFormatCounter") TASK_COUNTER("BYTES_WRITTEN", "40")
               "]}]}}");
    /* clang-format on */
    expect_got(HREDUCE "/attempts/attempt_#_r_000000_0",
               "{'taskAttempt':{'startTime':T,'finishTime':T,'elapsedTime':E,'progress':100.0,"
               "'id':'attempt_#_r_000000_0','rack':'/default-rack','state':'SUCCEEDED',"
               "'status':'reduce > reduce','nodeHttpAddress':'h1:9','diagnostics':'',"
               "'type':'REDUCE','assignedContainerId':'container_#_01_000003',"
               "'shuffleFinishTime':T,'mergeFinishTime':T,'elapsedShuffleTime':300,"
               "'elapsedMergeTime':50,'elapsedReduceTime':0}}");
    expect("GET", HREDUCE "/attempts/attempt_#_r_000000_0/state", NULL, 404, NULL);
    expect_moved_to_page(PROXY "/info"); /* since no history port is open */
    end();
}

static void test_history_filters(void)
{
    static const char all[] = "{'jobs':{'job':[{" ENDED_JOB "}]}}", none[] = "{'jobs':{}}";

    run_to_the_end();
    expect_got(HIST "?user=u&limit=1&state=SUCCEEDED&queue=default", all);
    expect_got(HIST "?queue=root.default&startedTimeBegin=1&finishedTimeEnd=9000000000000", all);
    expect_got(HIST "?limit=&user=&startedTimeEnd=", all);
    expect_got(HIST "?user=v", none);
    expect_got(HIST "?state=KILLED", none);
    expect_got(HIST "?queue=other", none);
    expect_got(HIST "?startedTimeEnd=5", none);
    expect_got(HIST "?startedTimeBegin=9000000000000", none);
    expect_got(HIST "?finishedTimeEnd=5", none);
    expect_refused("GET", HIST "?limit=x", NULL, "For input string: \\\"x\\\"");
    expect_refused("GET", HIST "?limit=0", NULL, "limit value must be greater then 0");
    expect_refused("GET", HIST "?startedTimeBegin=x", NULL,
                   "Invalid number format: For input string: \\\"x\\\"");
    expect_refused("GET", HIST "?finishedTimeEnd=-1", NULL,
                   "finishedTimeEnd must be greater than "
                   "0");
    expect_refused("GET", HIST "?startedTimeBegin=5&startedTimeEnd=4", NULL,
                   "startedTimeEnd must be greater than startTimeBegin");
    expect_refused("GET", HIST "?finishedTimeBegin=5&finishedTimeEnd=4", NULL,
                   "finishedTimeEnd must be greater than finishedTimeBegin");
    expect("GET", HIST "?state=FOO", NULL, 400,
           "{\"RemoteException\":{\"exception\":\"IllegalArgumentException\",\"message\":\"No enum "
           "constant org.apache.hadoop.mapreduce.v2.api.records.JobState.FOO\",\"javaClassName\":"
           "\"java.lang.IllegalArgumentException\"}}");
    end();
}

/* ---- the history port ---- */

static uint16_t find_free_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    base_assert(bind(fd, (struct sockaddr *)&a, len) == 0);
    base_assert(getsockname(fd, (struct sockaddr *)&a, &len) == 0);
    close(fd);
    return ntohs(a.sin_port);
}

static struct rm_history_port *open_history_port(const char *address, int want, const char *why)
{
    const struct api_server_conf like = {.threads = 1, .static_user = "dr.who"};
    struct base_conf *conf = simple_conf_new();
    struct rm_history_port *port = NULL;
    struct base_error err = {0};
    char *arg = base_printf("mapreduce.jobhistory.webapp.address=%s", address);

    base_assert(base_conf_set_arg(conf, arg, NULL) == 0);
    CU_ASSERT_EQUAL(rm_history_port_open(conf, &like, &port, &err), want);
    if (why)
        CU_ASSERT_STRING_EQUAL(err.text, why);
    free(arg);
    base_conf_free(conf);
    return port;
}

static void expect_found(uint16_t port, const char *path, const char *location)
{
    struct client_answer a;
    char *line = base_printf("Location: %s", location);

    client_do(port, "GET", path, NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 302);
    CU_ASSERT_TRUE(client_has(&a, line));
    client_free(&a);
    free(line);
}

/* Expects that a client who asks for @path below /ws/v1/history is sent to @where at the node. */
static void expect_sent(const char *path, const char *where)
{
    char *url = base_printf("/ws/v1/history/%s", path);
    char *line = base_printf("Location: http://h1:9%s", where);
    struct client_answer a;

    client_do(rms[0].port, "GET", url, NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 307);
    CU_ASSERT_TRUE(client_has(&a, line));
    client_free(&a);
    free(url);
    free(line);
}

static void test_history_logs(void)
{
    char id[128], path[256], where[256];

    run_to_the_end();
    /* the container of the reduce */
    snprintf(id, sizeof id, "container_%s_01_000003", number_of_app);
    snprintf(path, sizeof path, "containers/%s/logs", id);
    snprintf(where, sizeof where, "/ws/v1/node/containers/%s/logs", id);
    expect_sent(path, where);
    snprintf(path, sizeof path, "containerlogs/%s/a%%20b?size=-5&format=x%%26", id);
    snprintf(where, sizeof where, "/ws/v1/node/containers/%s/logs/a%%20b?size=-5&format=x%%26", id);
    expect_sent(path, where);
    snprintf(path, sizeof path, "containerlogs/%s/stdout", id);
    snprintf(where, sizeof where, "/ws/v1/node/containers/%s/logs/stdout", id);
    expect_sent(path, where);
    /* as in Hadoop, there is nothing at this path */
    expect("GET", "/ws/v1/history/containers/container_#_01_000003/logs/stdout", NULL, 404, NULL);
    /* the node has them no more */
    expect("GET", "/ws/v1/history/containers/container_#_01_000003/logs?redirected_from_node=true",
           NULL, 404, NULL);
    expect("GET", "/ws/v1/history/containers/container_#_01_000099/logs", NULL, 404, NULL);
    expect("GET", "/ws/v1/history/containers/container_1_0001_01_000001/logs", NULL, 404, NULL);
    expect("GET", "/ws/v1/history/containers/none/logs", NULL, 400, NULL);
    end();
}

static void test_history_port(void)
{
    uint16_t number = find_free_port();
    char text[256], path[256];
    struct rm_history_port *port;
    struct client_answer a;

    run_to_the_end();
    snprintf(text, sizeof text, "127.0.0.1:%u", number);
    port = open_history_port(text, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(port);
    CU_ASSERT_EQUAL(rm_history_port_start(port, rms[0].b, NULL), 0);
    client_do(number, "GET", "/ws/v1/history/mapreduce/jobs?user=u", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, number_of_app));
    client_free(&a);
    expect_found(number, "/", "http://localhost/jobhistory"); /* as the request named the host */
    snprintf(text, sizeof text, "%s/cluster/app/%s", rms[0].url, app);
    snprintf(path, sizeof path, "/jobhistory/job/job_%s", number_of_app);
    expect_found(number, path, text);
    snprintf(text, sizeof text, "%s/cluster/apps", rms[0].url);
    expect_found(number, "/jobhistory", text);
    /* this port serves the history only */
    client_do(number, "GET", "/ws/v1/cluster/info", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 404);
    client_free(&a);
    rm_history_port_close(port);
    end();
}

static void test_history_addresses(void)
{
    CU_ASSERT_PTR_NULL(open_history_port("", 0, NULL));
    CU_ASSERT_PTR_NULL(
        open_history_port("history", -BASE_EINVAL,
                          "mapreduce.jobhistory.webapp.address: \"history\": expected HOST:PORT"));
    CU_ASSERT_PTR_NULL(open_history_port(
        "h:0", -BASE_EINVAL, "mapreduce.jobhistory.webapp.address: \"h:0\": expected HOST:PORT"));
    /* anybody could read what it serves, so it is refused as the ResourceManager's own address
     * is */
    CU_ASSERT_PTR_NULL(open_history_port("0.0.0.0:19888", -BASE_EPERM, NULL));
}

static const struct cunit_case cases[] = {
    {"a running job", test_running_job},
    {"a job that waits", test_job_that_waits},
    {"XML", test_xml},
    {"mistakes", test_mistakes},
    {"attempts that end", test_attempts_that_end},
    {"history", test_history},
    {"filters of the history", test_history_filters},
    {"logs of ended jobs are on their nodes", test_history_logs},
    {"the history port", test_history_port},
    {"addresses of the history port", test_history_addresses},
};
CUNIT_MAIN("mapreduce http", cases)
