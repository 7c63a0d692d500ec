creel_test(test_nm_retain SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_nm_retain.c LIBS creel_nm LABELS unit nodemanager)
creel_test(test_nm_exit SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_nm_exit.c LIBS creel_nm LABELS unit nodemanager)
