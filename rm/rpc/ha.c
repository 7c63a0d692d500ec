/* rm/rpc/ha.c - Hadoop's HAServiceProtocol: which state this ResourceManager is in. SOURCE:
 * Hadoop's HAServiceProtocol. Changes of the state are refused: ZooKeeper elects the active one. */
#include "rm/leader/standby.h"
#include "rm/rpc/client.h"
#include "rm/rpc/ports.h"

enum ha_state { HA_INITIALIZING, HA_ACTIVE, HA_STANDBY };

static void get_service_status(struct api_rpc_call *call, const ProtobufCMessage *request,
                               void *user)
{
    Yarn__ServiceStatus answer = YARN__SERVICE_STATUS__INIT;

    (void)request;
    answer.state = rm_standby_is_active(user) ? HA_ACTIVE : HA_STANDBY;
    answer.has_ready = true;
    answer.ready = true;
    api_rpc_answer(call, &answer.base);
}

static void answer_healthy(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    Yarn__Empty none = YARN__EMPTY__INIT;

    (void)request;
    (void)user;
    api_rpc_answer(call, &none.base);
}

static void refuse_transition(struct api_rpc_call *call, const ProtobufCMessage *request,
                              void *user)
{
    (void)request;
    (void)user;
    api_rpc_answer_error(call, "org.apache.hadoop.ha.ServiceFailedException",
                         "ZooKeeper elects the active ResourceManager; creel rmadmin -failover "
                         "makes the active one give way");
}

#define NOTHING &yarn__empty__descriptor

static const struct api_rpc_method methods[] = {
    {"getServiceStatus", NOTHING, get_service_status, 0},
    {"monitorHealth", NOTHING, answer_healthy, 0},
    {"transitionToActive", NOTHING, refuse_transition, 0},
    {"transitionToStandby", NOTHING, refuse_transition, 0},
};
const struct api_rpc_protocol rm_rpc_ha_protocol = {.name =
                                                        "org.apache.hadoop.ha.HAServiceProtocol",
                                                    .methods = methods,
                                                    .methods_n = sizeof methods / sizeof *methods};
