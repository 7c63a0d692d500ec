creel_fuzz(fuzz_rpc SOURCES fuzz/fuzz_rpc.c LIBS creel_rm)
creel_fuzz(fuzz_tracker SOURCES fuzz/fuzz_tracker.c LIBS creel_rm)
creel_fuzz(fuzz_master SOURCES fuzz/fuzz_master.c LIBS creel_nm creel_rm)
