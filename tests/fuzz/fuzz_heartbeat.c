/* Any bytes as a registration, a heartbeat or a wake: refused, or decoded and freed. */
#include "rm/http/node_json.h"
#include "tests/fuzz/fuzz.h"

const char *const creel_fuzz_samples[] = {
    "{\"nodeId\":\"n1:4242\",\"instance\":\"01\",\"responseId\":3,\"epochSeen\":1,\"healthy\":true,"
    "\"healthReport\":\"\",\"diskFreeMb\":100,\"holdMs\":1000,\"containers\":[{\"id\":"
    "\"container_e01_17_0001_01_000002\",\"state\":\"running\",\"slot\":\"map\",\"progress\":0.5,"
    "\"phase\":\"map\","
    "\"exitCode\":0,\"signal\":0,\"diagnostics\":\"\",\"startedMs\":1,\"endedMs\":2,\"cpuMs\":3,"
    "\"maxRssKb\":4,"
    "\"counters\":{\"SPILLS\":1},\"partitionsBytes\":9}]}",
    "{\"nodeId\":\"n1:4242\",\"httpAddress\":\"n1:4242\",\"rack\":\"/"
    "r\",\"mapSlots\":2,\"reduceSlots\":1,"
    "\"bootId\":\"b\",\"instance\":\"01\",\"epochSeen\":0,\"version\":\"0.1.0\",\"containers\":[{"
    "\"id\":"
    "\"container_17_0001_01_000002\",\"state\":\"complete\",\"slot\":\"reduce\",\"app\":"
    "\"application_17_0001\",\"user\":"
    "\"ann\",\"task\":\"task_17_0001_r_000000\",\"taskAttempt\":1,\"master\":false,\"memoryMb\":1,"
    "\"vcores\":1}]}",
    NULL,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct rm_node_message m;
    struct base_error err = {0};

    if (rm_node_decode_register(text, size, &m, &err) == 0)
        rm_node_message_free(&m);
    if (rm_node_decode_heartbeat(text, size, &m, &err) == 0)
        rm_node_message_free(&m);
    if (rm_node_decode_wake_or_unregister(text, size, RM_EV_NODE_WAKE, &m, &err) == 0)
        rm_node_message_free(&m);
    return 0;
}
