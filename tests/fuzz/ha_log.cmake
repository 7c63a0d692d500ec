creel_fuzz(fuzz_log_segment SOURCES fuzz/fuzz_log_segment.c LIBS creel_ha)
