add_executable(bench_wire bench/bench_wire.c)
target_link_libraries(bench_wire PRIVATE creel_nm creel_rm)
