# What simulations are fed with: named workloads, traces; and the single server.
add_library(creel_sim_inputs STATIC sim_ids.c sim_single.c sim_source.c sim_trace.c sim_trace_csv.c sim_trace_fields.c sim_trace_jsonl.c
            sim_trace_sls.c sim_trace_swim.c sim_workload.c sim_workload_hfs.c sim_workload_papers.c)
target_link_libraries(creel_sim_inputs PUBLIC creel_sim creel_base m)
