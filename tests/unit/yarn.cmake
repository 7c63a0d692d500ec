creel_test(test_yarn_shapes SOURCES unit/test_yarn_shapes.c LIBS creel_rm LABELS unit)
creel_test(test_yarn_capacity SOURCES unit/test_yarn_capacity.c LIBS creel_rm LABELS unit)
creel_test(test_yarn_activities SOURCES unit/test_yarn_activities.c LIBS creel_rm LABELS unit)
creel_test(test_acl SOURCES unit/test_acl.c LIBS creel_rm LABELS unit)
creel_test(test_app_json SOURCES unit/test_app_json.c LIBS creel_rm LABELS unit)
foreach(t test_yarn_shapes test_yarn_capacity test_yarn_activities test_app_json)
  target_compile_definitions(${t} PRIVATE GOLDEN_DIR="${CMAKE_SOURCE_DIR}/tests/interop/yarn")
endforeach()
creel_test(test_yarn_http SOURCES unit/test_yarn_http.c unit/api_client.c LIBS creel_rm
           LABELS unit threads TIMEOUT 180)
target_compile_definitions(test_yarn_http PRIVATE
                           GOLDEN_DIR="${CMAKE_SOURCE_DIR}/tests/interop/yarn")
creel_test(test_yarn_writes SOURCES unit/test_yarn_writes.c unit/api_client.c LIBS creel_rm
           LABELS unit threads TIMEOUT 180)
target_compile_definitions(test_yarn_writes PRIVATE
                           GOLDEN_DIR="${CMAKE_SOURCE_DIR}/tests/interop/yarn")
creel_test(test_host_lists SOURCES unit/test_host_lists.c LIBS creel_rm LABELS unit)
