creel_test(test_rm_tracker_ha SOURCES unit/test_rm_tracker_ha.c unit/api_client.c unit/rms_of_test.c
           LIBS creel_rm LABELS unit threads)
creel_test(test_master_http SOURCES unit/test_master_http.c unit/api_client.c unit/rms_of_test.c
           LIBS creel_rm LABELS unit threads)
creel_test(test_rpc_master SOURCES unit/test_rpc_master.c unit/api_client.c unit/rms_of_test.c
           LIBS creel_rm LABELS unit threads)
target_compile_definitions(test_rpc_master PRIVATE
                           RPC_GOLDEN="${CMAKE_SOURCE_DIR}/tests/interop/rpc")
creel_test(test_proxy SOURCES unit/test_proxy.c unit/api_client.c unit/rms_of_test.c
           LIBS creel_rm LABELS unit threads)
creel_test(test_groups_http SOURCES unit/test_groups_http.c unit/api_client.c unit/rms_of_test.c
           LIBS creel_rm LABELS unit threads)
creel_test(test_mapreduce_http SOURCES unit/test_mapreduce_http.c unit/api_client.c
           unit/rms_of_test.c LIBS creel_rm LABELS unit threads)
creel_test(test_rpc_start SOURCES unit/test_rpc_start.c unit/api_client.c unit/rms_of_test.c
           LIBS creel_rm LABELS unit threads)
target_compile_definitions(test_rpc_start PRIVATE
                           RPC_GOLDEN="${CMAKE_SOURCE_DIR}/tests/interop/rpc")
creel_test(test_rpc_large_submission SOURCES unit/test_rpc_large_submission.c unit/api_client.c
           unit/rms_of_test.c LIBS creel_rm LABELS unit threads)
target_compile_definitions(test_rpc_large_submission PRIVATE
                           RPC_GOLDEN="${CMAKE_SOURCE_DIR}/tests/interop/rpc")
