/* nodemanager/task/feed.h - a thread that writes a split to the map command's stdin. */
#ifndef CREEL_NODEMANAGER_TASK_FEED_H
#define CREEL_NODEMANAGER_TASK_FEED_H

#include "nodemanager/task/task.h"

struct task_feed;
/* Starts the thread, which owns @to and closes it at the end of the split, after an error, or as
 * soon as the command stops reading (which is not an error). On failure @to is closed too. */
int task_feed_start(struct task *t, int to, struct task_feed **out, struct base_error *err);
/* Waits for the thread and frees @f. Returns 0, or the thread's error. */
int task_feed_join(struct task_feed *f, struct base_error *err);

#endif
