/* Plain copies for readers: the configuration of the queues, also as it would be after a change. */
#include "rm/core/view/view_internal.h"

bool rm_view_queue_conf(const struct rm_core *c, struct rm_properties *out, int64_t *version)
{
    if (!c->queue_conf.mutable)
        return false;
    if (out)
        rm_properties_copy(out, &c->queue_conf.properties);
    *version = c->queue_conf.version;
    return true;
}

int rm_view_changed_queue_conf(const struct rm_core *c, const struct rm_conf_change *change,
                               struct rm_properties *out, struct base_error *err)
{
    struct policy_queues queues;
    int rc = rm_queue_conf_compute_changed(c, change, NULL, out, &queues, err);

    if (rc == 0)
        policy_queues_free(&queues);
    return rc;
}
