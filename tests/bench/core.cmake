add_executable(bench_core bench/bench_core.c)
target_link_libraries(bench_core PRIVATE creel_rm_core)
target_link_options(bench_core PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)
creel_lto_link(bench_core)
