creel_fuzz(fuzz_id SOURCES fuzz/fuzz_id.c LIBS creel_base)
creel_fuzz(fuzz_json SOURCES fuzz/fuzz_json.c LIBS creel_base)
creel_fuzz(fuzz_conf SOURCES fuzz/fuzz_conf.c LIBS creel_base)
