add_executable(bench_exec ${CMAKE_SOURCE_DIR}/tests/bench/bench_exec.c
               ${CMAKE_SOURCE_DIR}/tests/fault/users_fixture.c)
target_link_libraries(bench_exec PRIVATE creel_base)
add_dependencies(bench_exec creel-nm creel-shim creel-task creel-localize creel-exec-test)
