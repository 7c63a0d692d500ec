creel_test(test_rest_page SOURCES unit/test_rest_page.c LIBS creel_rm creel_nm LABELS unit
           ARGS ${CMAKE_SOURCE_DIR}/deploy/doc/rest.md)
creel_test(test_api_pages SOURCES unit/test_api_pages.c LIBS creel_api LABELS unit)
creel_test(test_rm_pages SOURCES unit/test_rm_pages.c unit/api_client.c unit/rms_of_test.c
           LIBS creel_rm LABELS unit threads)
creel_test(test_openapi SOURCES unit/test_openapi.c LIBS creel_rm creel_nm LABELS unit)
