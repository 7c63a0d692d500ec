set(nm_fixture tests/fault/nm_fixture.c tests/e2e/fake_rm.c)
list(TRANSFORM nm_fixture PREPEND ${CMAKE_SOURCE_DIR}/)
creel_test(test_nm_life SOURCES ${CMAKE_SOURCE_DIR}/tests/fault/test_nm_life.c ${nm_fixture}
           LIBS creel_nm ARGS ${CMAKE_BINARY_DIR}/bin LABELS fault nodemanager TIMEOUT 300)
add_dependencies(test_nm_life creel-nm creel-shim)
creel_test(test_nm_rms SOURCES ${CMAKE_SOURCE_DIR}/tests/fault/test_nm_rms.c ${nm_fixture}
           LIBS creel_nm ARGS ${CMAKE_BINARY_DIR}/bin LABELS fault nodemanager TIMEOUT 300)
add_dependencies(test_nm_rms creel-nm creel-shim)
creel_test(test_nm_hostile SOURCES ${CMAKE_SOURCE_DIR}/tests/fault/test_nm_hostile.c ${nm_fixture}
           LIBS creel_nm ARGS ${CMAKE_BINARY_DIR}/bin LABELS fault nodemanager TIMEOUT 300)
add_dependencies(test_nm_hostile creel-nm creel-shim)
# Fewer attacks than by hand: their number is the second argument.
add_executable(test_exec_attacks fault/test_exec_attacks.c fault/users_fixture.c)
target_link_libraries(test_exec_attacks PRIVATE creel_base)
add_dependencies(test_exec_attacks creel-nm creel-shim creel-task creel-localize creel-exec-test)
add_test(NAME test_exec_attacks COMMAND test_exec_attacks ${CMAKE_BINARY_DIR}/bin 200)
set_tests_properties(test_exec_attacks PROPERTIES LABELS "fault;nodemanager" TIMEOUT 300
                     SKIP_RETURN_CODE 77)
