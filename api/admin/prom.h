/* api/admin/prom.h - GET /prom: a daemon's metrics in Prometheus' text form, as Hadoop's
 * PrometheusMetricsSink names them. */
#ifndef CREEL_API_ADMIN_PROM_H
#define CREEL_API_ADMIN_PROM_H

#include "api/admin/bean.h"
#include "api/server/server.h"

/* Appends the metrics of @service. */
void api_prom_encode(const struct api_bean_service *service, struct base_buf *out);
/* Answers GET /prom; 404 unless @enabled (hadoop.prometheus.endpoint.enabled). */
void api_prom_answer(struct api_request *rq, const struct api_bean_service *service, bool enabled);
/* Appends @camel in lower case with "_" between its words: "NumActiveNMs" becomes
 * "num_active_n_ms", "AllocatedVCores" "allocated_v_cores", "AMResourceLimitMB"
 * "am_resource_limit_mb". */
void api_prom_add_camel_as_snake(struct base_buf *out, const char *camel);

#endif
