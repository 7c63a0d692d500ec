add_executable(bench_nm ${CMAKE_SOURCE_DIR}/tests/bench/bench_nm.c
               ${CMAKE_SOURCE_DIR}/tests/fault/nm_fixture.c ${CMAKE_SOURCE_DIR}/tests/e2e/fake_rm.c)
target_link_libraries(bench_nm PRIVATE creel_nm)
add_dependencies(bench_nm creel-nm creel-shim)
