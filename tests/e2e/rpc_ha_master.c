/* tests/e2e/rpc_ha_master.c - an ApplicationMaster that speaks Hadoop RPC while another
 * ResourceManager takes over, for rpc_ha.sh, which says what it proves.
 *
 * Usage, in a master's container: rpc_ha_master FOLDER. FOLDER/port has the number of the active
 * ResourceManager's port of masters, FOLDER/standby that of the other one. The master creates
 * FOLDER/working, goes on when FOLDER/over is there, and reads the port again. It creates
 * FOLDER/back when it is registered again, FOLDER/finished when its end was acknowledged, and ends
 * when FOLDER/leave is there. FOLDER/end-kept and FOLDER/end-ended, which end two containers, come
 * from the script. */
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/rpc_am.h"

#define STANDBY    "org.apache.hadoop.ipc.StandbyException"
#define OF_EARLIER AM_YARN "InvalidContainerException"
#define RUNNING    2 /* YARN's number of the state */

enum { KEPT, ENDED, UNSTARTED, BEFORE }; /* what becomes of the containers given before */

static const char *folder;

/* The token proves nothing to a standby, which does not say that it is wrong either. */
static void check_standby(void)
{
    struct rpc_client c;
    char *refusal = rpc_client_open(
        &c, am_read_port("standby"), am_token.identifier.data, am_token.identifier.len,
        (const unsigned char *)am_token.password.data, am_token.password.len);

    if (!refusal || strcmp(refusal, STANDBY) != 0)
        am_fail("the standby: %s", refusal ? refusal : "accepted");
    free(refusal);
}

/* Starts the container: it writes a line to FOLDER/@name each time it is started, waits for
 * FOLDER/end-@name, and exits with @status. */
static void start(const struct am_granted *g, const char *name, int status, const char *exception)
{
    char *command = base_printf("echo >> '%s/%s'; until [ -e '%s/end-%s' ]; do sleep 0.02; done; "
                                "exit %d",
                                folder, name, folder, name, status);

    am_start(g, command, exception);
    free(command);
    if (!exception)
        am_wait_for_file(name);
}

static void work_before_failover(struct am_granted got[static BEFORE])
{
    am_refuse_allocate(0, AM_NOT_REGISTERED);
    am_register(4711, NULL);
    am_ask(BEFORE);
    am_take(got, BEFORE);
    start(&got[KEPT], "kept", 4, NULL);
    start(&got[ENDED], "ended", 3, NULL);
    am_ask(1); /* for which there is no slot now */
}

/* The new leader knows the attempt by its token, and nothing that was asked for. */
static void register_again(void)
{
    am_open_rm();
    am_refuse_allocate(am_response_id, AM_NOT_REGISTERED);
    am_refuse_allocate(0, AM_NOT_REGISTERED);
    am_register(4711, NULL);
    am_refuse_allocate(1, AM_INVALID_REQUEST);
    am_register(4711, AM_INVALID_REQUEST);
    am_create_file("back");
}

static void work_after_failover(struct am_granted got[static BEFORE])
{
    struct am_granted further = {0};

    am_wait_end(got[ENDED].num, 3); /* while nobody led */
    start(&got[UNSTARTED], "unstarted", 0, OF_EARLIER);
    am_ask(1);
    am_take(&further, 1);
    if (further.num == got[KEPT].num || further.num == got[ENDED].num ||
        further.num == got[UNSTARTED].num)
        am_fail("container %lld is given twice", (long long)further.num);
    start(&further, "further", 5, NULL);
    if (am_get_state(&got[KEPT]) != RUNNING) /* by the token of the earlier leader */
        am_fail("a container was not kept");
    am_create_file("end-further");
    am_wait_end(further.num, 5);
    am_granted_free(&further);
    am_wait_end(got[KEPT].num, 4);
}

int main(int argc, char **argv)
{
    struct am_granted got[BEFORE] = {0};

    if (argc != 2)
        am_fail("expected a folder");
    folder = argv[1];
    am_begin(folder);
    check_standby();
    am_open_rm();
    work_before_failover(got);
    am_create_file("working");
    am_wait_for_file("over");
    register_again();
    work_after_failover(got);
    for (int i = 0; i < BEFORE; i++)
        am_granted_free(&got[i]);
    am_finish();
    am_create_file("finished");
    am_wait_for_file("leave");
    return 0;
}
