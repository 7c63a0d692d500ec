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
