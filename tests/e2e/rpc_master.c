/* tests/e2e/rpc_master.c - an ApplicationMaster that speaks Hadoop RPC, for rpc_master.sh, which
 * says what it proves.
 *
 * Usage, in a master's container: rpc_master FOLDER. FOLDER/port has the number of the
 * ResourceManager's port of masters. The master creates FOLDER/registered, goes on when
 * FOLDER/go is there, and reads the port again. Its container writes FOLDER/written. */
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/rpc_am.h"

#define ASKED 2

/* Opens a connection whose token is wrong in its byte @at of the password (-1: that of another
 * attempt), and checks that it is refused. */
static void check_false_token(int at)
{
    struct base_hadoop_amrm_id other;
    struct base_buf identifier = {0};
    unsigned char password[BASE_SHA1_BYTES];
    struct rpc_client c;
    char *refusal;

    memcpy(password, am_token.password.data, sizeof password);
    if (!base_hadoop_amrm_id_read(am_token.identifier.data, am_token.identifier.len, &other))
        am_fail("the identifier of the AMRM token cannot be read");
    if (at >= 0)
        password[at] ^= 1;
    else
        other.attempt.attempt++;
    base_hadoop_amrm_id_add(&other, &identifier);
    refusal = rpc_client_open(&c, am_read_port("port"), identifier.data, identifier.len, password,
                              sizeof password);
    if (!refusal || strcmp(refusal, AM_BAD_TOKEN) != 0)
        am_fail("a false token: %s", refusal ? refusal : "accepted");
    free(refusal);
    base_buf_free(&identifier);
}

int main(int argc, char **argv)
{
    struct am_granted got[ASKED] = {0};
    char *command;

    if (argc != 2)
        am_fail("expected a folder");
    am_begin(argv[1]);
    check_false_token(0);
    check_false_token(BASE_SHA1_BYTES - 1);
    check_false_token(-1);
    am_open_rm();
    am_refuse_allocate(0, AM_NOT_REGISTERED);
    am_register(4711, NULL);
    am_register(4711, AM_INVALID_REQUEST);
    am_register(4712, AM_INVALID_REQUEST);
    am_refuse_allocate(7, AM_INVALID_REQUEST);

    am_create_file("registered");
    am_wait_for_file("go");
    am_open_rm(); /* the token stays valid; the registration does not */
    am_refuse_allocate(0, AM_NOT_REGISTERED);
    am_create_file("back"); /* the nodes come back while the registration is held */
    am_register(4711, NULL);

    am_ask(ASKED);
    am_take(got, ASKED);
    command = base_printf("echo written > %s/written; exit 3", argv[1]);
    am_start(&got[0], command, NULL);
    free(command);
    am_wait_end(got[0].num, 3);
    am_release(&got[1]);
    for (int i = 0; i < ASKED; i++)
        am_granted_free(&got[i]);
    am_finish();
    return 0;
}
