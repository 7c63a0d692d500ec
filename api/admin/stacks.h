/* api/admin/stacks.h - GET /stacks: what each thread of the daemon does at this moment, as Hadoop's
 * servlet of that name shows it: enough to see which thread hangs, in what, and which one uses the
 * processor.
 *
 * Everything comes from /proc, so that asking never stops or disturbs a thread. The calls inside
 * the program cannot be read in this way; the text names the command that prints them. */
#ifndef CREEL_API_ADMIN_STACKS_H
#define CREEL_API_ADMIN_STACKS_H

#include "api/server/server.h"
#include "base/mem.h"

void api_stacks_answer(struct api_request *rq);
/* Appends the text. */
void api_stacks_encode(struct base_buf *out);

#endif
