creel_fuzz(fuzz_trace SOURCES fuzz/fuzz_trace.c LIBS creel_sim_inputs)
