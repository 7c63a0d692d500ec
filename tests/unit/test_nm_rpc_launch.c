/* Goal: a request that YARN's ResourceManager has sent to start a master is read as a launch order
 * of Creel with all that the request says; its token is accepted with the recorded key, by the node
 * that it names alone, and as long as the ResourceManager names its key. A key that is named by a
 * salt is derived from the cluster's secret. What a context must not have is refused by name.
 * Method: the recorded request (tests/interop/rpc/start.hex). */
#include <stdlib.h>
#include <string.h>

#include "api/wire/order.h"
#include "base/hadoop/master_key.h"
#include "base/io/json.h"
#include "nodemanager/rpc/launch_context.h"
#include "nodemanager/rpc/tokens.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/rpc_frames.h"

#define KEY      "DQwoB066Bg4=" /* as recorded */
#define OTHER    "b3RoZXI="
#define RECORDED (-1155748308) /* number of the recorded key */

static Nm__StartContainers *read_request(void)
{
    struct base_buf bytes = {0};
    Nm__StartContainers *m;

    rpc_frames_read("start.hex", 'C', 0, &bytes);
    m = nm__start_containers__unpack(NULL, bytes.len, (const uint8_t *)bytes.data);
    base_buf_free(&bytes);
    CU_ASSERT_FATAL(m && m->n_requests == 1);
    return m;
}

/* The ResourceManager names the keys @ids of container tokens, of which the recorded one is
 * @key. */
static void set_keys(struct nm_rpc_tokens *t, const char *key, const int32_t *ids, size_t n)
{
    struct wire_hadoop_keys keys = {.given = true,
                                    .nm_token = {{{1, NULL, OTHER}}, 1},
                                    .container_token = {.n = n},
                                    .rm_identifier = 1795348885144};

    for (size_t i = 0; i < n; i++)
        keys.container_token.v[i] =
            (struct wire_hadoop_key){ids[i], NULL, ids[i] == RECORDED ? key : OTHER};
    nm_rpc_tokens_set_keys(t, &keys);
}

static int check(struct nm_rpc_tokens *t, const Nm__Token *token,
                 struct base_hadoop_container_id *out)
{
    return nm_rpc_tokens_check_container(t, token->identifier.data, token->identifier.len,
                                         token->password.data, token->password.len, out, NULL);
}

static void test_token(void)
{
    struct nm_rpc_tokens *t = nm_rpc_tokens_new("localhost", 21020, NULL);
    struct nm_rpc_tokens *elsewhere = nm_rpc_tokens_new("localhost", 21021, NULL);
    Nm__StartContainers *m = read_request();
    const Nm__Token *token = m->requests[0]->token;
    struct base_hadoop_container_id id;

    CU_ASSERT_EQUAL(check(t, token, &id), -BASE_EPERM); /* no keys yet */
    CU_ASSERT_EQUAL(nm_rpc_tokens_rm_identifier(t), 0);
    set_keys(t, KEY, (int32_t[]){RECORDED}, 1);
    set_keys(elsewhere, KEY, (int32_t[]){RECORDED}, 1);
    CU_ASSERT_EQUAL(check(t, token, &id), 0);
    CU_ASSERT_STRING_EQUAL(id.submitter, "root");
    CU_ASSERT_EQUAL(id.rm_identifier, nm_rpc_tokens_rm_identifier(t));
    CU_ASSERT_EQUAL(check(elsewhere, token, &id), -BASE_EPERM);
    set_keys(t, KEY, (int32_t[]){2, 3, RECORDED}, 3); /* the previous key */
    CU_ASSERT_EQUAL(check(t, token, &id), 0);
    set_keys(t, KEY, (int32_t[]){2, 3}, 2);
    CU_ASSERT_EQUAL(check(t, token, &id), -BASE_EPERM);
    set_keys(t, OTHER, (int32_t[]){RECORDED}, 1); /* other bytes under the same number */
    CU_ASSERT_EQUAL(check(t, token, &id), -BASE_EPERM);
    token->password.data[19] ^= 1;
    set_keys(t, KEY, (int32_t[]){RECORDED}, 1);
    CU_ASSERT_EQUAL(check(t, token, &id), -BASE_EPERM);
    nm__start_containers__free_unpacked(m, NULL);
    nm_rpc_tokens_free(t);
    nm_rpc_tokens_free(elsewhere);
}

/* Returns what the node says to a container token made with the key 7 of the cluster's @secret. */
static int check_derived(struct nm_rpc_tokens *t, const struct base_key *secret)
{
    static const unsigned char salt[BASE_HADOOP_MASTER_KEY_BYTES] = "salt";
    struct base_hadoop_container_id id = {
        .container = {{{1, 2}, 3}, 4}, .node = "localhost:21020", .submitter = "ann", .key_id = 7};
    unsigned char key[BASE_HADOOP_MASTER_KEY_BYTES], password[BASE_SHA1_BYTES];
    struct base_buf identifier = {0};
    int rc;

    base_hadoop_container_id_add(&id, &identifier);
    base_hadoop_derive_master_key(secret, BASE_HADOOP_KEY_OF_CONTAINER, 7, salt, key);
    base_hadoop_compute_password(key, sizeof key, identifier.data, identifier.len, password);
    rc = nm_rpc_tokens_check_container(t, identifier.data, identifier.len, password,
                                       sizeof password, &id, NULL);
    base_buf_free(&identifier);
    return rc;
}

/* The ResourceManager names a salt, and the key of the secret called @name. */
static void name_salt(struct nm_rpc_tokens *t, const char *name)
{
    struct wire_hadoop_keys keys = {
        .given = true,
        .nm_token = {{{7, name, "c2FsdAAAAAAAAAAAAAAAAAAAAAA="}}, 1},
        .container_token = {{{7, name, "c2FsdAAAAAAAAAAAAAAAAAAAAAA="}}, 1}};

    nm_rpc_tokens_set_keys(t, &keys);
}

static void test_derived_key(void)
{
    struct base_key secret = {.id = "abc", .bytes = "the secret of the cluster"};
    struct base_key stranger = {.id = "abc", .bytes = "another"};
    struct base_keyring *keys = base_keyring_new_of_key(&secret);
    struct nm_rpc_tokens *t = nm_rpc_tokens_new("localhost", 21020, keys);
    struct nm_rpc_tokens *without = nm_rpc_tokens_new("localhost", 21020, NULL);

    name_salt(t, "abc");
    name_salt(without, "abc");
    CU_ASSERT_EQUAL(check_derived(t, &secret), 0);
    CU_ASSERT_EQUAL(check_derived(t, &stranger), -BASE_EPERM);
    CU_ASSERT_EQUAL(check_derived(without, &secret), -BASE_EPERM);
    name_salt(t, "abd"); /* a key that the secret does not have */
    CU_ASSERT_EQUAL(check_derived(t, &secret), -BASE_EPERM);
    nm_rpc_tokens_free(t);
    nm_rpc_tokens_free(without);
    base_keyring_unref(keys);
}

static const char *find_env(const struct wire_launch *l, const char *name)
{
    for (size_t i = 0; i < l->env_n; i++)
        if (strncmp(l->env[i], name, strlen(name)) == 0)
            return l->env[i] + strlen(name);
    return "";
}

static void check_order(const struct wire_launch *l)
{
    static const char first[] = "{{JAVA_HOME}}/bin/java -server -Djava.net.preferIPv6Addresses",
                      last[] = " 1> <LOG_DIR>/stdout 2> <LOG_DIR>/stderr";
    size_t len = strlen(l->command);

    CU_ASSERT_EQUAL(strncmp(l->command, first, strlen(first)), 0);
    CU_ASSERT_STRING_EQUAL(l->command + len - strlen(last), last);
    CU_ASSERT_EQUAL(l->container.num, 1);
    CU_ASSERT_EQUAL(l->kind, BASE_CONTAINER_COMMAND);
    CU_ASSERT_STRING_EQUAL(l->user, "root");
    CU_ASSERT_STRING_EQUAL(l->acl_view, "root ");
    CU_ASSERT_EQUAL(l->memory_mb, 1024);
    CU_ASSERT_EQUAL(l->vcores, 1);
    CU_ASSERT_EQUAL(l->allocation_request_id, -1);
    CU_ASSERT_EQUAL(l->env_n, 9);
    CU_ASSERT_STRING_EQUAL(find_env(l, "PYTHONPATH="),
                           "{{PWD}}/pyspark.zip<CPS>{{PWD}}/py4j-0.10.9.7-src.zip");
    CU_ASSERT_EQUAL(strncmp(l->credentials, "SERUUwAB", 8), 0);
    CU_ASSERT_EQUAL_FATAL(l->resources_n, 3);
    CU_ASSERT_STRING_EQUAL(l->resources[1].name, "__spark_conf__");
    CU_ASSERT_STRING_EQUAL(l->resources[1].url,
                           "file:///srv/yn/w/staging/root/.sparkStaging/"
                           "application_1795348885144_0001/__spark_conf__.zip");
    CU_ASSERT_EQUAL(l->resources[1].type, BASE_RESOURCE_ARCHIVE);
    CU_ASSERT_EQUAL(l->resources[0].type, BASE_RESOURCE_FILE);
    CU_ASSERT_EQUAL(l->resources[1].visibility, BASE_RESOURCE_PRIVATE);
    CU_ASSERT_EQUAL(l->resources[1].size, 160017);
    CU_ASSERT_EQUAL(l->resources[1].timestamp_ms, 1795348894189);
}

static void test_order(void)
{
    Nm__StartContainers *m = read_request();
    const Nm__Token *token = m->requests[0]->token;
    struct base_hadoop_container_id id;
    struct base_buf text = {0};
    struct wire_launch launch;
    struct base_error err = {0};
    json_t *order = NULL;

    CU_ASSERT_FATAL(
        base_hadoop_container_id_read(token->identifier.data, token->identifier.len, &id));
    CU_ASSERT_EQUAL_FATAL(
        nm_rpc_put_launch_order(m->requests[0]->context, &id, "secret", &text, &err), 0);
    base_json_parse(text.data, text.len, &order, NULL);
    CU_ASSERT_EQUAL_FATAL(wire_launch_get(order, &launch, &err), 0);
    CU_ASSERT_STRING_EQUAL(launch.token, "secret");
    check_order(&launch);
    wire_launch_free(&launch);
    json_decref(order);
    base_buf_free(&text);
    nm__start_containers__free_unpacked(m, NULL);
}

/* Puts one resource into the context, and expects the order to be refused with @words, or to have
 * the @url. */
static void check_resource(Nm__LocalResource *r, const char *words, const char *url)
{
    Nm__LaunchContext context = NM__LAUNCH_CONTEXT__INIT;
    Nm__NamedResource named = NM__NAMED_RESOURCE__INIT, *list[] = {&named};
    struct base_hadoop_container_id id = {.submitter = "ann"};
    struct base_buf text = {0};
    struct base_error err = {0};
    char *command = "true";
    int rc;

    named.key = "the name";
    named.value = r;
    context.resources = list;
    context.n_resources = 1;
    context.commands = &command;
    context.n_commands = 1;
    rc = nm_rpc_put_launch_order(&context, &id, NULL, &text, &err);
    CU_ASSERT_EQUAL(rc, words ? -BASE_EINVAL : 0);
    CU_ASSERT(!words || (strstr(err.text, words) && strstr(err.text, "the name")));
    CU_ASSERT(!url || strstr(text.data, url));
    base_buf_free(&text);
}

static void test_resources(void)
{
    Nm__LocalResource r = NM__LOCAL_RESOURCE__INIT;
    Nm__Url url = NM__URL__INIT;

    check_resource(NULL, "resource URL", NULL);
    check_resource(&r, "resource URL", NULL);
    r.url = &url;
    check_resource(&r, "resource URL", NULL);
    url.file = "/a b";
    check_resource(&r, "resource type", NULL);
    r.type = 4;
    check_resource(&r, "resource type", NULL);
    r.type = 3;
    r.visibility = 4;
    check_resource(&r, "resource visibility", NULL);
    r.visibility = 3;
    check_resource(&r, NULL,
                   "\"url\":\"/a b\",\"type\":\"pattern\",\"visibility\":\"application\"");
    r.pattern = "lib/.*";
    check_resource(&r, NULL, "\"pattern\":\"lib/.*\"");
    url.scheme = "hdfs";
    url.host = "h";
    url.has_port = true;
    url.port = 8020;
    url.user_info = "u";
    check_resource(&r, NULL, "\"url\":\"hdfs://u@h:8020/a%20b\"");
    url.port = -1;
    check_resource(&r, NULL, "\"url\":\"hdfs://u@h/a%20b\"");
}

/* Without a command, with a nameless variable, with too many of them. */
static void test_bad_contexts(void)
{
    Nm__LaunchContext context = NM__LAUNCH_CONTEXT__INIT;
    Nm__Variable v = NM__VARIABLE__INIT, *many[1001];
    struct base_hadoop_container_id id = {.submitter = "ann"};
    struct base_buf text = {0};
    struct base_error err = {0};
    char *command = "true";

    CU_ASSERT_EQUAL(nm_rpc_put_launch_order(&context, &id, NULL, &text, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "commands"));
    context.commands = &command;
    context.n_commands = 1;
    for (size_t i = 0; i < 1001; i++)
        many[i] = &v;
    context.env = many;
    context.n_env = 1;
    CU_ASSERT_EQUAL(nm_rpc_put_launch_order(&context, &id, NULL, &text, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "environment"));
    v.key = "K";
    context.n_env = 1001;
    CU_ASSERT_EQUAL(nm_rpc_put_launch_order(&context, &id, NULL, &text, &err), -BASE_ELIMIT);
    CU_ASSERT_EQUAL(text.len, 0);
}

/* A variable that comes twice is in the order once, with its last value. */
static void test_repeated_variable(void)
{
    Nm__LaunchContext context = NM__LAUNCH_CONTEXT__INIT;
    Nm__Variable v[3] = {NM__VARIABLE__INIT, NM__VARIABLE__INIT, NM__VARIABLE__INIT};
    Nm__Variable *list[] = {&v[0], &v[1], &v[2]};
    struct base_hadoop_container_id id = {.submitter = "ann"};
    struct base_buf text = {0};
    char *command = "true";

    v[0].key = v[2].key = "AB";
    v[1].key = "A";
    v[0].value = "old";
    v[1].value = "other";
    v[2].value = "new";
    context.commands = &command;
    context.n_commands = 1;
    context.env = list;
    context.n_env = 3;
    CU_ASSERT_EQUAL_FATAL(nm_rpc_put_launch_order(&context, &id, NULL, &text, NULL), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "\"env\":{\"AB\":\"new\",\"A\":\"other\"}"));
    base_buf_free(&text);
}

static const struct cunit_case cases[] = {{"token", test_token},
                                          {"derived key", test_derived_key},
                                          {"order", test_order},
                                          {"resources", test_resources},
                                          {"bad contexts", test_bad_contexts},
                                          {"repeated variable", test_repeated_variable}};
CUNIT_MAIN("nm_rpc_launch", cases)
