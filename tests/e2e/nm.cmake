creel_test(test_nm_rest SOURCES ${CMAKE_SOURCE_DIR}/tests/e2e/test_nm_rest.c
           ${CMAKE_SOURCE_DIR}/tests/e2e/fake_rm.c ${CMAKE_SOURCE_DIR}/tests/fault/nm_fixture.c
           LIBS creel_nm ARGS ${CMAKE_BINARY_DIR}/bin LABELS e2e nodemanager TIMEOUT 120)
add_dependencies(test_nm_rest creel-nm creel-shim)
creel_test(test_nm_yarn SOURCES ${CMAKE_SOURCE_DIR}/tests/e2e/test_nm_yarn.c
           ${CMAKE_SOURCE_DIR}/tests/e2e/fake_rm.c ${CMAKE_SOURCE_DIR}/tests/fault/nm_fixture.c
           ${CMAKE_SOURCE_DIR}/tests/unit/api_client.c
           LIBS creel_nm ARGS ${CMAKE_BINARY_DIR}/bin LABELS e2e nodemanager TIMEOUT 120)
add_dependencies(test_nm_yarn creel-nm creel-shim)
creel_test(test_nm_rpc SOURCES ${CMAKE_SOURCE_DIR}/tests/e2e/test_nm_rpc.c
           ${CMAKE_SOURCE_DIR}/tests/e2e/fake_rm.c ${CMAKE_SOURCE_DIR}/tests/fault/nm_fixture.c
           LIBS creel_nm ARGS ${CMAKE_BINARY_DIR}/bin LABELS e2e nodemanager TIMEOUT 120)
add_dependencies(test_nm_rpc creel-nm creel-shim)
target_compile_definitions(test_nm_rpc PRIVATE RPC_GOLDEN="${CMAKE_SOURCE_DIR}/tests/interop/rpc")
creel_test(test_nm_shuffle_host SOURCES ${CMAKE_SOURCE_DIR}/tests/e2e/test_nm_shuffle.c
           ${CMAKE_SOURCE_DIR}/tests/e2e/fake_rm.c ${CMAKE_SOURCE_DIR}/tests/fault/nm_fixture.c
           LIBS creel_nm ARGS ${CMAKE_BINARY_DIR}/bin LABELS e2e nodemanager TIMEOUT 120)
add_dependencies(test_nm_shuffle_host creel-nm creel-shim)
creel_test(test_nm_cgroup_host SOURCES ${CMAKE_SOURCE_DIR}/tests/e2e/test_nm_cgroup.c
           ${CMAKE_SOURCE_DIR}/tests/e2e/fake_rm.c ${CMAKE_SOURCE_DIR}/tests/fault/nm_fixture.c
           LIBS creel_nm ARGS ${CMAKE_BINARY_DIR}/bin LABELS e2e nodemanager TIMEOUT 120)
add_dependencies(test_nm_cgroup_host creel-nm creel-shim)
creel_script_test(e2e_launch_context ${CMAKE_SOURCE_DIR}/tests/e2e/launch_context.sh
                  LABELS "e2e;nodemanager" TIMEOUT 300)
add_executable(test_nm_users ${CMAKE_SOURCE_DIR}/tests/e2e/test_nm_users.c
               ${CMAKE_SOURCE_DIR}/tests/fault/users_fixture.c
               ${CMAKE_SOURCE_DIR}/tests/e2e/fake_rm.c ${CMAKE_SOURCE_DIR}/tests/fault/nm_fixture.c)
target_link_libraries(test_nm_users PRIVATE creel_nm PkgConfig::CUNIT)
add_dependencies(test_nm_users creel-nm creel-shim creel-task creel-localize creel-exec-test)
foreach(isolation none cgroup)
  add_test(NAME test_nm_users_${isolation}
           COMMAND test_nm_users ${CMAKE_BINARY_DIR}/bin ${isolation})
  set_tests_properties(test_nm_users_${isolation} PROPERTIES LABELS "e2e;nodemanager" TIMEOUT 180
                       SKIP_RETURN_CODE 77)
endforeach()
creel_script_test(e2e_log_aggregation ${CMAKE_SOURCE_DIR}/tests/e2e/log_aggregation.sh
                  LABELS "e2e;nodemanager" TIMEOUT 300)
