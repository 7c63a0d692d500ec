/* Any bytes as what a NodeManager of Hadoop sends, in hex digits where they are not typed: a
 * message is decoded or refused within the room that it has, and what was decoded becomes reports
 * within the bounds of the core; as answers to a call, they end it or wait for more. */
#include <stdlib.h>
#include <string.h>

#include "api/rpc/arena.h"
#include "api/rpc/client.h"
#include "base/limits.h"
#include "rm/rpc/tracker/reports.h"
#include "tests/fuzz/fuzz.h"

/* clang-format off */
const char *const creel_fuzz_samples[] = {
    /* a registration, a heartbeat, one with containers of which one has ended, recorded */
    "0a0f0a096c6f63616c686f73741092a4011894a401222b08802010041a140a096d656d6f72792d6d62108020"
    "1a024d6920001a0e0a0676636f72657310041a0020002a05332e342e324a2d08a9bc0110021a150a096d656d"
    "6f72792d6d6210a9bc011a024d6920001a0e0a0676636f72657310021a002000625a0a0f0a096c6f63616c68"
    "6f73741092a4011000220b0801120018b8d78499a0343209080010001d000000003a1f08ed0b10ed0b1daad9"
    "e93f22120a0b7961726e2e696f2f67707515000000004a0c080010001800200028003800",
    "0a5a0a0f0a096c6f63616c686f73741092a4011000220b0801120018b8d78499a0343209080010001d000000"
    "003a1f08900c10900c1db3bccd3f22120a0b7961726e2e696f2f67707515000000004a0c0800100018002000"
    "28003800121008b8f9dfe504120865501ad07683766c1a1008c18cceee011208a0eb71186c17cba94000",
    "0aac030a0f0a096c6f63616c686f7374109ca40110111a710a11120d0a09080110c48a8599a0341001180110"
    "021a002098f8ffffffffffffff012a2b08800810011a140a096d656d6f72792d6d621080081a024d6920001a"
    "0e0a0676636f72657310011a00200030013a0a0a04484f53541202766d3a100a0349505312093132372e302e"
    "302e3140021a710a11120d0a09080110c48a8599a0341001180410021a002098f8ffffffffffffff012a2b08"
    "800810011a140a096d656d6f72792d6d621080081a024d6920001a0e0a0676636f72657310011a0020003001"
    "3a0a0a04484f53541202766d3a100a0349505312093132372e302e302e3140021a680a11120d0a09080110c4"
    "8a8599a0341001180210031a0020002a2b08800810011a140a096d656d6f72792d6d621080081a024d692000"
    "1a0e0a0676636f72657310011a00200030013a0a0a04484f53541202766d3a100a0349505312093132372e30"
    "2e302e314005220b0801120018f5d38499a034320b08f201108e151de5d0a23e3a1f08aa1010aa101d5f05b3"
    "3f22120a0b7961726e2e696f2f67707515000000004a0c080010001800200028003800121008b8f9dfe50412"
    "0865501ad07683766c1a1008c18cceee011208a0eb71186c17cba94001",
    /* a challenge, and a proof */
    "000000a20e08dfffffff0f100018093a00400191011001228c010a05544f4b454e120a4449474553542d4d44"
    "351a00220764656661756c742a6c7265616c6d3d2264656661756c74222c6e6f6e63653d2243393347324c68"
    "58326161786a4b33455a59514c4c6a636c317465357a4b462b3174787a5133766d222c716f703d2261757468"
    "222c636861727365743d7574662d382c616c676f726974686d3d6d64352d736573730000003c0e08dfffffff"
    "0f100018093a0040012c10001a28727370617574683d39363763383531373138306130626437646335666162"
    "36333337306438363162",
    NULL,
};
/* clang-format on */

static void check_reports(struct rm_tracker_reports *r, size_t containers)
{
    base_assert(r->n <= containers);
    for (size_t i = 0; i < r->n; i++) {
        base_assert(r->v[i].state == RM_CONTAINER_RUNNING ||
                    r->v[i].state == RM_CONTAINER_COMPLETED);
        base_assert(r->v[i].started_us >= 0 && r->v[i].resource.v[RM_RES_MEMORY_MB] >= 0 &&
                    r->v[i].resource.v[RM_RES_VCORES] >= 0);
    }
    free(r->v);
}

static void read_registration(const struct base_conf *conf, const Tracker__Registration *rq)
{
    struct rm_tracker_reports reports;
    int32_t slots[BASE_TASK_KINDS];
    size_t apps_n;

    free(rm_tracker_read_apps(rq, &apps_n));
    base_assert(apps_n <= rq->n_apps);
    rm_tracker_read_recovered(rq, &reports);
    check_reports(&reports, rq->n_containers);
    if (rq->resource)
        rm_tracker_compute_slots(conf, rq->resource->memory, rq->resource->vcores, slots);
    for (enum base_task_kind k = 0; rq->resource && k < BASE_TASK_KINDS; k++)
        base_assert(slots[k] >= 0 && slots[k] <= BASE_NODE_SLOTS_MAX);
}

static void read_beat(const Tracker__Beat *beat)
{
    struct rm_tracker_reports reports;
    struct base_utilization u;

    if (!beat->status)
        return;
    rm_tracker_read_statuses(beat->status, &reports);
    check_reports(&reports, beat->status->n_containers);
    rm_tracker_read_utilization(beat->status, &u);
    base_assert(u.node_milli_cores >= 0 && u.containers_physical_mb >= 0);
}

static void answer_call(const uint8_t *data, size_t len)
{
    const struct api_rpc_client_token token = {.identifier = {(const uint8_t *)"i", 1},
                                               .password = {(const uint8_t *)"p", 1}};
    struct api_rpc_client c;
    struct base_buf out = {0};
    size_t at = 0, used = 1;

    api_rpc_client_begin(&c, &token, "n", "p", "m", &token.identifier, &out);
    while (used && c.state < API_RPC_CLIENT_DONE) {
        used = api_rpc_client_take(&c, data + at, len - at, &out);
        at += used;
    }
    base_assert(at <= len && (c.state != API_RPC_CLIENT_FAILED || c.why));
    api_rpc_client_free(&c);
    base_buf_free(&out);
}

static const ProtobufCMessage *decode(const ProtobufCMessageDescriptor *type, const uint8_t *data,
                                      size_t len, struct api_rpc_arena *arena)
{
    api_rpc_arena_init(arena, 4096 + 16 * len);
    return api_rpc_decode(type, data, len, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct base_conf *conf;
    uint8_t *bytes = creel_fuzz_read_hex(data, &size);
    struct api_rpc_arena arena;
    const ProtobufCMessage *m;

    if (!conf)
        conf = base_conf_new();
    m = decode(&tracker__registration__descriptor, bytes, size, &arena);
    if (m)
        read_registration(conf, (const Tracker__Registration *)m);
    api_rpc_arena_free(&arena);
    m = decode(&tracker__beat__descriptor, bytes, size, &arena);
    if (m)
        read_beat((const Tracker__Beat *)m);
    api_rpc_arena_free(&arena);
    answer_call(bytes, size);
    free(bytes);
    return 0;
}
