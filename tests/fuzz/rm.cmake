creel_fuzz(fuzz_job_spec SOURCES fuzz/fuzz_job_spec.c LIBS creel_rm)
creel_fuzz(fuzz_heartbeat SOURCES fuzz/fuzz_heartbeat.c LIBS creel_rm)
