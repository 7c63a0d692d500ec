creel_test(test_rm_term SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_term.c LIBS creel_rm LABELS unit threads)
