add_executable(bench_recovery ${CMAKE_SOURCE_DIR}/tests/bench/bench_recovery.c)
target_link_libraries(bench_recovery PRIVATE creel_rm)
creel_lto_link(bench_recovery)
