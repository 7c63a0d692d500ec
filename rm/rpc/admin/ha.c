/* rm/rpc/admin/ha.c - which state this ResourceManager is in. SOURCE: Hadoop's HAServiceProtocol.
 * Changes of the state are refused: ZooKeeper elects the active one. */
#include "rm/leader/standby.h"
#include "rm/rpc/admin/admin.h"

enum ha_state { HA_INITIALIZING, HA_ACTIVE, HA_STANDBY };

void rm_rpc_ha_get_status(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    Yarn__ServiceStatus answer = YARN__SERVICE_STATUS__INIT;

    (void)request;
    answer.state = rm_standby_is_active(user) ? HA_ACTIVE : HA_STANDBY;
    answer.has_ready = true;
    answer.ready = true;
    api_rpc_answer(call, &answer.base);
}

void rm_rpc_ha_answer_healthy(struct api_rpc_call *call, const ProtobufCMessage *request,
                              void *user)
{
    Yarn__Empty none = YARN__EMPTY__INIT;

    (void)request;
    (void)user;
    api_rpc_answer(call, &none.base);
}

void rm_rpc_ha_refuse_transition(struct api_rpc_call *call, const ProtobufCMessage *request,
                                 void *user)
{
    (void)request;
    (void)user;
    api_rpc_answer_error(call, "org.apache.hadoop.ha.ServiceFailedException",
                         "ZooKeeper elects the active ResourceManager; creel rmadmin -failover "
                         "makes the active one give way");
}
