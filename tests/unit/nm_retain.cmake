creel_test(test_nm_retain SOURCES unit/test_nm_retain.c LIBS creel_nm LABELS unit nodemanager)
creel_test(test_nm_exit SOURCES unit/test_nm_exit.c LIBS creel_nm LABELS unit nodemanager)
