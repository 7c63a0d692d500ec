creel_fuzz(fuzz_request SOURCES fuzz/fuzz_request.c LIBS creel_api)
