creel_test(test_allocations SOURCES unit/test_allocations.c LIBS creel_rm LABELS unit)
