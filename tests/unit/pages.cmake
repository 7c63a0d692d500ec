creel_test(test_rest_page SOURCES unit/test_rest_page.c LIBS creel_rm creel_nm LABELS unit
           ARGS ${CMAKE_SOURCE_DIR}/deploy/doc/rest.md)
