#include "api/server/answer/reply.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void api_reply_clear(struct api_reply *reply)
{
    base_buf_free(&reply->body);
    api_pieces_free(reply->pieces);
    free(reply->type_text);
    if (reply->kind == API_REPLY_FILE && reply->fd >= 0)
        close(reply->fd);
    if (reply->kind == API_REPLY_STREAM && reply->free_fn)
        reply->free_fn(reply->u);
    memset(reply, 0, sizeof *reply);
}
