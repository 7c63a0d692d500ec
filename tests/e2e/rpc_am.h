/* tests/e2e/rpc_am.h - what an ApplicationMaster does over Hadoop RPC, for masters in C that are
 * started in a real container. One master a process.
 *
 * Each function checks what it is answered. Whatever is not as expected ends the program with
 * status 1 and a line on stderr. Files in the master's folder are how it and its script talk. */
#ifndef CREEL_TESTS_RPC_AM_H
#define CREEL_TESTS_RPC_AM_H

#include "base/hadoop/credentials.h"
#include "base/hadoop/identifiers.h"
#include "nodemanager/rpc/container.pb-c.h"
#include "rm/rpc/master.pb-c.h"

#define RPC_GOLDEN "" /* the recordings are not read */
#include "tests/e2e/rpc_client.h"

#define AM_YARN            "org.apache.hadoop.yarn.exceptions."
#define AM_BAD_TOKEN       "org.apache.hadoop.security.token.SecretManager$InvalidToken"
#define AM_NOT_REGISTERED  AM_YARN "ApplicationMasterNotRegisteredException"
#define AM_INVALID_REQUEST AM_YARN "InvalidApplicationMasterRequestException"
#define AM_PRIORITY        5
#define AM_WAIT_S          60

struct am_granted { /* a container, and what it takes to start it */
    int64_t num;
    int port;
    struct base_buf token, token_password, nm_token, nm_password;
};

void am_granted_free(struct am_granted *g);

extern struct base_hadoop_token am_token; /* the AMRM token of the master's container */
extern int32_t am_response_id;            /* the id of the last answer to allocate */

_Noreturn void am_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void am_pause(void);
void am_begin(const char *folder); /* reads the token; to be called first */
void am_create_file(const char *name);
void am_wait_for_file(const char *name);
/* Returns the number in a file. */
int am_read_port(const char *name);

/* Opens a connection to the port in the file "port", in place of the one that is open. */
void am_open_rm(void);
/* Calls the ResourceManager. @exception: the class expected; NULL: success. */
struct rpc_answer am_call(const char *method, const ProtobufCMessage *request,
                          const char *exception);
void am_register(int32_t port, const char *exception);
/* Calls allocate with @id, and expects @exception. */
void am_refuse_allocate(int32_t id, const char *exception);
/* Calls allocate with the next id, and once more with the same id, as if the answer had been lost:
 * the answer must bring the same containers, tokens and ends. Free it with
 * master__allocate_answer__free_unpacked(). */
Master__AllocateAnswer *am_allocate_next(Master__AllocateRequest *rq);
void am_finish(void);

/* Asks for @n containers, as MapReduce does, without an id for the request. */
void am_ask(size_t n);
/* Allocates until @n containers are granted. */
void am_take(struct am_granted *out, size_t n);
/* Starts a container at its node. @exception: the class of the refusal expected; NULL: none. */
void am_start(const struct am_granted *g, const char *command, const char *exception);
/* Returns the state that the node tells of the container: YARN's number. */
int am_get_state(const struct am_granted *g);
/* Waits for the end of container @num, and checks its exit status. */
void am_wait_end(int64_t num, int32_t exit_status);
void am_release(const struct am_granted *g);

#endif
