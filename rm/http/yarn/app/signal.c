/* rm/http/yarn/app/signal.c - sends a signal to the processes of a container. SOURCE: Hadoop's
 * ResourceManager REST APIs. YARN answers 500 for containers that do not exist; here the same text
 * comes with 400 or 404. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/audit/audit.h"
#include "api/wire/order.h"
#include "rm/http/access/access.h"
#include "rm/http/yarn/write.h"

/* Returns the command called @name in any case; BASE_SIGNAL_COMMANDS: there is none. */
static enum base_signal_command find_signal_command(const char *name)
{
    enum base_signal_command c = 0;

    while (c < BASE_SIGNAL_COMMANDS && strcasecmp(wire_signal_words[c], name) != 0)
        c++;
    return c;
}

static void answer_bad_command(struct api_request *rq, const char *name)
{
    char *upper = base_strdup(name);

    for (char *p = upper; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    yarn_answer_text(rq, 400,
                     "Invalid command: %s, valid commands are: [OUTPUT_THREAD_DUMP, "
                     "GRACEFUL_SHUTDOWN, FORCEFUL_SHUTDOWN]",
                     upper);
    free(upper);
}

static void answer_signal(void *user, const struct rm_effect *fx)
{
    struct yarn_write *w = user;
    struct base_buf none = {0};

    if (!yarn_is_error_reply(fx))
        api_answer(w->rq, 200, api_wanted_type(w->rq), &none);
    else if (fx->u.reply.code == -BASE_ENOTFOUND)
        yarn_answer_text(w->rq, 404, "%s", fx->u.reply.text);
    else
        yarn_answer_refusal(w->rq, fx);
    yarn_write_unref(w);
}

static void handle_post_signal(struct api_request *rq, void *user)
{
    const char *container = api_path_arg(rq, 0), *name = api_path_arg(rq, 1);
    enum base_signal_command command = find_signal_command(name);
    struct base_container_id id;
    struct yarn_write *w;

    if (command == BASE_SIGNAL_COMMANDS) {
        answer_bad_command(rq, name);
    } else if (base_container_id_parse(container, &id, NULL) < 0) {
        bool prefixed = strncmp(container, "container_", strlen("container_")) == 0;

        yarn_answer_text(rq, 400, "Invalid ContainerId%s: %s", prefixed ? "" : " prefix",
                         container);
    } else if (!rm_access_requires_tokens(user) ||
               !rm_access_refuse_app_id_unless_allowed(rq, user, RM_OP_KILL, id.attempt.app,
                                                       NULL)) {
        api_audit_add_member(rq, "container", container);
        api_audit_add_member(rq, "signal", wire_signal_words[command]);
        w = yarn_write_new(rq, RM_EV_SIGNAL_CONTAINER);
        w->ev.u.signal.id = id;
        w->ev.u.signal.command = command;
        yarn_write_post(w, user, answer_signal);
    }
}

/* clang-format off */
const struct api_route rm_yarn_signal_routes[] = {
    {"POST", YARN_CLUSTER "/containers/{containerid}/signal/{command}", API_ROLE_WRITE,
             0, handle_post_signal, 0},
};
/* clang-format on */
const size_t rm_yarn_signal_routes_n =
    sizeof rm_yarn_signal_routes / sizeof rm_yarn_signal_routes[0];
