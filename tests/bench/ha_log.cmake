add_executable(bench_ha_log bench/bench_ha_log.c)
target_link_libraries(bench_ha_log PRIVATE creel_ha)
target_link_options(bench_ha_log PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)
