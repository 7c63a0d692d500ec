/* nodemanager/task/feed.h - a thread that moves a split into the map command's stdin. */
#ifndef CREEL_NODEMANAGER_TASK_FEED_H
#define CREEL_NODEMANAGER_TASK_FEED_H

#include "nodemanager/task/task.h"

struct task_feed;
/* Takes @to, which is closed at the end of the split, or when the command reads no more (which is no error). */
int task_feed_start(struct task *t, int to, struct task_feed **out, struct base_error *err);
int task_feed_join(struct task_feed *f, struct base_error *err); /* frees */

#endif
