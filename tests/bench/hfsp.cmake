add_executable(bench_hfsp bench/bench_hfsp.c)
target_link_libraries(bench_hfsp PRIVATE creel_policies)
