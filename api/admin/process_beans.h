/* api/admin/process_beans.h - beans that every daemon has: those of Hadoop's metrics system about
 * the process, and those of the Java machine that monitors read. A process that is not a Java
 * machine shows its own memory, threads and files there; it collects no garbage. */
#ifndef CREEL_API_ADMIN_PROCESS_BEANS_H
#define CREEL_API_ADMIN_PROCESS_BEANS_H

#include "api/admin/bean.h"

extern const struct api_bean_kind api_bean_jvm_metrics, api_bean_ugi_metrics,
    api_bean_metrics_system, api_bean_runtime, api_bean_memory, api_bean_threading,
    api_bean_operating_system, api_bean_garbage_collector;
/* All of them, for a service's list of kinds. */
#define API_PROCESS_BEANS                                                                          \
    &api_bean_jvm_metrics, &api_bean_ugi_metrics, &api_bean_metrics_system, &api_bean_runtime,     \
        &api_bean_memory, &api_bean_threading, &api_bean_operating_system,                         \
        &api_bean_garbage_collector

#endif
