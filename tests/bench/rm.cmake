add_executable(bench_rm ${CMAKE_SOURCE_DIR}/tests/bench/bench_rm.c)
target_link_libraries(bench_rm PRIVATE creel_base)
