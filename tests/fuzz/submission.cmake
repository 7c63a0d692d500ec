creel_fuzz(fuzz_submission SOURCES fuzz/fuzz_submission.c LIBS creel_rm)
