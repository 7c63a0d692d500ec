add_executable(bench_rm ${CMAKE_SOURCE_DIR}/tests/bench/bench_rm.c)
target_link_libraries(bench_rm PRIVATE creel_base)
add_executable(bench_http ${CMAKE_SOURCE_DIR}/tests/bench/bench_http.c)
target_link_libraries(bench_http PRIVATE creel_base)
