/* Any bytes as what masters send over Hadoop RPC, to the ResourceManager and to nodes, in hex
 * digits where they are not typed: a message is decoded or refused within the room that it has;
 * what was decoded becomes launch orders that read as JSON, or is refused with a message; and an
 * identifier that was read is written again as one that reads the same. */
#include <stdlib.h>
#include <string.h>

#include "api/rpc/arena.h"
#include "base/error.h"
#include "base/hadoop/credentials.h"
#include "base/io/json.h"
#include "nodemanager/rpc/launch_context.h"
#include "rm/rpc/master.pb-c.h"
#include "tests/fuzz/fuzz.h"

/* clang-format off */
const char *const creel_fuzz_samples[] = {
    /* startContainers for a master of Spark, recorded from Hadoop 3.4.2
     * (tests/interop/rpc/start.hex) */
    "0aac140ade120a83010a0b7079737061726b2e7a697012740a620a0466696c6518ffffffffffffffffff0122"
    "4f2f7372762f796e2f772f73746167696e672f726f6f742f2e737061726b53746167696e672f6170706c6963"
    "6174696f6e5f313739353334383838353134345f303030312f7079737061726b2e7a697010a7cc940118b5a1"
    "8899a034200228020a8c010a0e5f5f737061726b5f636f6e665f5f127a0a690a0466696c6518ffffffffffff"
    "ffffff0122562f7372762f796e2f772f73746167696e672f726f6f742f2e737061726b53746167696e672f61"
    "70706c69636174696f6e5f313739353334383838353134345f303030312f5f5f737061726b5f636f6e665f5f"
    "2e7a69701091e20918eda38899a034200128020a96010a157079346a2d302e31302e392e372d7372632e7a69"
    "70127d0a6c0a0466696c6518ffffffffffffffffff0122592f7372762f796e2f772f73746167696e672f726f"
    "6f742f2e737061726b53746167696e672f6170706c69636174696f6e5f313739353334383838353134345f30"
    "3030312f7079346a2d302e31302e392e372d7372632e7a697010b8cb02189da28899a03420022802124a4844"
    "54530001001a0a0d0a0908011098dd8799a034100110bdb393dbffffffffff0114fa4bc8cd41cf0e5a18348c"
    "5e07cbd306196aa24a105941524e5f414d5f524d5f544f4b454e000022620a16535041524b5f5941524e5f53"
    "544147494e475f444952124866696c653a2f7372762f796e2f772f73746167696e672f726f6f742f2e737061"
    "726b53746167696e672f6170706c69636174696f6e5f313739353334383838353134345f30303031222b0a0e"
    "5059535041524b5f505954484f4e12192f7372762f796e2f772f76656e762f62696e2f707974686f6e22430a"
    "0a505954484f4e5041544812357b7b5057447d7d2f7079737061726b2e7a69703c4350533e7b7b5057447d7d"
    "2f7079346a2d302e31302e392e372d7372632e7a697022430a1a4150504c49434154494f4e5f5745425f5052"
    "4f58595f4241534512252f70726f78792f6170706c69636174696f6e5f313739353334383838353134345f30"
    "30303122120a0a535041524b5f555345521204726f6f74221a0a11535041524b5f5052454645525f49505636"
    "120566616c736522b7010a09434c4153535041544812a9017b7b5057447d7d3c4350533e7b7b5057447d7d2f"
    "5f5f737061726b5f636f6e665f5f3c4350533e7b7b5057447d7d2f5f5f737061726b5f6c6962735f5f2f2a3c"
    "4350533e2f7372762f796e2f772f76656e762f6c69622f707974686f6e332e31312f736974652d7061636b61"
    "6765732f7079737061726b2f6a6172732f2a3c4350533e7b7b5057447d7d2f5f5f737061726b5f636f6e665f"
    "5f2f5f5f6861646f6f705f636f6e665f5f22240a134150505f5355424d49545f54494d455f454e56120d3137"
    "3935333438383934333438221b0a0e535041524b5f4c4f43414c5f495012093132372e302e302e312a167b7b"
    "4a4156415f484f4d457d7d2f62696e2f6a6176612a072d7365727665722a242d446a6176612e6e65742e7072"
    "65666572495076364164647265737365733d66616c73652ab2062d58583a2b49676e6f7265556e7265636f67"
    "6e697a6564564d4f7074696f6e73202d2d6164642d6f70656e733d6a6176612e626173652f6a6176612e6c61"
    "6e673d414c4c2d554e4e414d4544202d2d6164642d6f70656e733d6a6176612e626173652f6a6176612e6c61"
    "6e672e696e766f6b653d414c4c2d554e4e414d4544202d2d6164642d6f70656e733d6a6176612e626173652f"
    "6a6176612e6c616e672e7265666c6563743d414c4c2d554e4e414d4544202d2d6164642d6f70656e733d6a61"
    "76612e626173652f6a6176612e696f3d414c4c2d554e4e414d4544202d2d6164642d6f70656e733d6a617661"
    "2e626173652f6a6176612e6e65743d414c4c2d554e4e414d4544202d2d6164642d6f70656e733d6a6176612e"
    "626173652f6a6176612e6e696f3d414c4c2d554e4e414d4544202d2d6164642d6f70656e733d6a6176612e62"
    "6173652f6a6176612e7574696c3d414c4c2d554e4e414d4544202d2d6164642d6f70656e733d6a6176612e62"
    "6173652f6a6176612e7574696c2e636f6e63757272656e743d414c4c2d554e4e414d4544202d2d6164642d6f"
    "70656e733d6a6176612e626173652f6a6176612e7574696c2e636f6e63757272656e742e61746f6d69633d41"
    "4c4c2d554e4e414d4544202d2d6164642d6f70656e733d6a6176612e626173652f6a646b2e696e7465726e61"
    "6c2e7265663d414c4c2d554e4e414d4544202d2d6164642d6f70656e733d6a6176612e626173652f73756e2e"
    "6e696f2e63683d414c4c2d554e4e414d4544202d2d6164642d6f70656e733d6a6176612e626173652f73756e"
    "2e6e696f2e63733d414c4c2d554e4e414d4544202d2d6164642d6f70656e733d6a6176612e626173652f7375"
    "6e2e73656375726974792e616374696f6e3d414c4c2d554e4e414d4544202d2d6164642d6f70656e733d6a61"
    "76612e626173652f73756e2e7574696c2e63616c656e6461723d414c4c2d554e4e414d4544202d2d6164642d"
    "6f70656e733d6a6176612e73656375726974792e6a6773732f73756e2e73656375726974792e6b7262353d41"
    "4c4c2d554e4e414d4544202d446a646b2e7265666c6563742e7573654469726563744d6574686f6448616e64"
    "6c653d66616c73652a082d586d783531326d2a1c2d446a6176612e696f2e746d706469723d7b7b5057447d7d"
    "2f746d702a12272d58583a2b55736553657269616c4743272a19272d58583a54696572656453746f7041744c"
    "6576656c3d31272a2c2d44737061726b2e7961726e2e6170702e636f6e7461696e65722e6c6f672e6469723d"
    "3c4c4f475f4449523e2a2d6f72672e6170616368652e737061726b2e6465706c6f792e7961726e2e45786563"
    "75746f724c61756e636865722a052d2d6172672a11276c6f63616c686f73743a3335303435272a112d2d7072"
    "6f706572746965732d66696c652a307b7b5057447d7d2f5f5f737061726b5f636f6e665f5f2f5f5f73706172"
    "6b5f636f6e665f5f2e70726f706572746965732a112d2d646973742d63616368652d636f6e662a367b7b5057"
    "447d7d2f5f5f737061726b5f636f6e665f5f2f5f5f737061726b5f646973745f63616368655f5f2e70726f70"
    "6572746965732a02313e2a103c4c4f475f4449523e2f7374646f75742a02323e2a103c4c4f475f4449523e2f"
    "737464657272320908011205726f6f7420320908021205726f6f742012c8010a8e010a11120d0a0908011098"
    "dd8799a03410011801120f6c6f63616c686f73743a32313032301a04726f6f74222b08800810011a140a096d"
    "656d6f72792d6d621080081a024d6920001a0e0a0676636f72657310011a00200028fffbac99a03430acdcf2"
    "d8fbffffffff013898dd8799a0344202080048bbac8899a0345a0060016801700078ffffffffffffffffff01"
    "1214a7561a02430aaace50bf37cebb596ba8b1bb9b311a0e436f6e7461696e6572546f6b656e220f3132372e"
    "302e302e313a3231303230",
    /* allocate with asks, a release and a blacklist; register; finish; stopContainers */
    "0a2e0a02081412012a1a1b08800810011a140a096d656d6f72792d6d621080081a024d692000200328013a04"
    "080110010a3a0a020814120d2f64656661756c742d7261636b1a1b08800810011a140a096d656d6f72792d6d"
    "621080081a024d692000200328013a04080110010a360a02081412096c6f63616c686f73741a1b0880081001"
    "1a140a096d656d6f72792d6d621080081a024d692000200328013a04080110011211120d0a0908081098dd87"
    "99a034100118021a090a07626164686f737420072d0000003f",
    "0a0c766d2f3132372e302e302e3110ffffffffffffffffff011a00",
    "0a04646f6e651209687474703a2f2f682f1801",
    "0a11120d0a0908081098dd8799a034100118020a11120d0a0908081098dd8799a03410011802",
    NULL,
};
/* clang-format on */

static void decode_as_request_of_master(const uint8_t *data, size_t len)
{
    static const ProtobufCMessageDescriptor *const types[] = {
        &master__register_request__descriptor, &master__allocate_request__descriptor,
        &master__finish_request__descriptor, &nm__containers__descriptor};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct api_rpc_arena arena;
        ProtobufCMessage *m;

        api_rpc_arena_init(&arena, 4096 + 16 * len);
        m = api_rpc_decode(types[i], data, len, &arena);
        if (m) /* what was read can be written */
            base_assert(protobuf_c_message_get_packed_size(m) <= 16 * len + 64);
        api_rpc_arena_free(&arena);
    }
}

static void check_container_id(const uint8_t *data, size_t len)
{
    struct base_hadoop_container_id id, again;
    struct base_buf out = {0};

    if (!base_hadoop_container_id_read(data, len, &id))
        return;
    base_hadoop_container_id_add(&id, &out);
    base_assert(base_hadoop_container_id_read(out.data, out.len, &again));
    base_assert(strcmp(id.node, again.node) == 0 && strcmp(id.submitter, again.submitter) == 0 &&
                id.key_id == again.key_id && id.expiry_ms == again.expiry_ms &&
                id.container.num == again.container.num);
    base_buf_free(&out);
}

static void check_other_ids(const uint8_t *data, size_t len)
{
    struct base_hadoop_nm_id nm, nm_again;
    struct base_hadoop_amrm_id amrm, amrm_again;
    struct base_buf out = {0};

    if (base_hadoop_nm_id_read(data, len, &nm)) {
        base_hadoop_nm_id_add(&nm, &out);
        base_assert(base_hadoop_nm_id_read(out.data, out.len, &nm_again) &&
                    strcmp(nm.host, nm_again.host) == 0 && nm.port == nm_again.port &&
                    nm.key_id == nm_again.key_id);
    }
    base_buf_clear(&out);
    if (base_hadoop_amrm_id_read(data, len, &amrm)) {
        base_hadoop_amrm_id_add(&amrm, &out);
        base_assert(base_hadoop_amrm_id_read(out.data, out.len, &amrm_again) &&
                    amrm.key_id == amrm_again.key_id &&
                    amrm.attempt.attempt == amrm_again.attempt.attempt);
    }
    base_buf_free(&out);
}

static void make_order(const Nm__StartRequest *rq)
{
    struct base_hadoop_container_id id = {
        .container = {{{1, 2}, 3}, 4}, .node = "h:1", .submitter = "ann"};
    struct base_buf out = {0};
    struct base_error err = {0};
    json_t *order = NULL;

    if (!rq->context)
        return;
    if (nm_rpc_put_launch_order(rq->context, &id, "secret", &out, &err) < 0)
        base_assert(err.text[0]);
    else
        base_assert(base_json_parse(out.data, out.len, &order, &err) == 0);
    json_decref(order);
    base_buf_free(&out);
}

static void start_containers(const uint8_t *data, size_t len)
{
    struct api_rpc_arena arena;
    const Nm__StartContainers *m;

    api_rpc_arena_init(&arena, 4096 + 16 * len);
    m = (const Nm__StartContainers *)api_rpc_decode(&nm__start_containers__descriptor, data, len,
                                                    &arena);
    for (size_t i = 0; m && i < m->n_requests; i++) {
        const Nm__Token *token = m->requests[i]->token;

        if (token)
            check_container_id(token->identifier.data, token->identifier.len);
        make_order(m->requests[i]);
    }
    api_rpc_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = creel_fuzz_read_hex(data, &size);
    struct base_credentials c = {0};

    decode_as_request_of_master(bytes, size);
    start_containers(bytes, size);
    check_container_id(bytes, size);
    check_other_ids(bytes, size);
    if (base_credentials_parse(bytes, size, &c, NULL) == 0)
        base_credentials_free(&c);
    free(bytes);
    return 0;
}
