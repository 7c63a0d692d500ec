/* rm/http/admin/queue_beans.h - QueueMetrics of the queues and of their users, and
 * PartitionQueueMetrics, made from views alone. Which beans there are, and which figures they have
 * besides those of all schedulers, depend on the scheduler that creel.yarn.scheduler-shape names:
 *
 *   capacity   each queue; each queue in each partition, and each partition; users if
 *              yarn.scheduler.capacity.user-metrics.enable is set
 *   fair       each queue; each user in each queue, and in the queues above it
 *   fifo       one queue, "default", which is the whole cluster
 *
 * SOURCE: Hadoop's QueueMetrics, CSQueueMetrics, FSQueueMetrics and PartitionQueueMetrics, as
 * recorded in tests/interop. */
#ifndef CREEL_RM_HTTP_ADMIN_QUEUE_BEANS_H
#define CREEL_RM_HTTP_ADMIN_QUEUE_BEANS_H

#include "api/admin/bean.h"
#include "rm/config/scheduler_shape.h"
#include "rm/core/view/view.h"

struct rm_queue_beans {
    enum rm_shape shape;
    bool with_users;
    struct rm_cluster_view cluster;
    struct rm_views views; /* queues, their members, and partitions */
};
void rm_queue_beans_add_queues(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                               const struct rm_queue_beans *b);
void rm_queue_beans_add_partitions(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                                   const struct rm_queue_beans *b);

#endif
