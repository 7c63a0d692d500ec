creel_fuzz(fuzz_allocations SOURCES fuzz/fuzz_allocations.c LIBS creel_rm)
