add_executable(bench_sim bench/bench_sim.c)
target_link_libraries(bench_sim PRIVATE creel_sim)
creel_lto_link(bench_sim)
