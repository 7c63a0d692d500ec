add_executable(sim_nodes ${CMAKE_SOURCE_DIR}/tests/bench/sim_nodes.c)
target_link_libraries(sim_nodes PRIVATE creel_base)
