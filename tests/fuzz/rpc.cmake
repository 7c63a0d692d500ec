creel_fuzz(fuzz_rpc SOURCES fuzz/fuzz_rpc.c LIBS creel_rm)
