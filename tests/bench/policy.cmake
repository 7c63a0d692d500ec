add_executable(bench_policy bench/bench_policy.c)
target_link_libraries(bench_policy PRIVATE creel_policies)
target_link_options(bench_policy PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)
creel_lto_link(bench_policy)
