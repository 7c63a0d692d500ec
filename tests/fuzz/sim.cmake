creel_fuzz(fuzz_trace SOURCES fuzz/fuzz_trace.c sim/trace_write.c LIBS creel_sim_inputs)
