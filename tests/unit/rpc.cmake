creel_test(test_rpc_session SOURCES unit/test_rpc_session.c LIBS creel_api LABELS unit)
creel_test(test_rpc_digest SOURCES unit/test_rpc_digest.c LIBS creel_api PkgConfig::GSASL
           LABELS unit)
creel_test(test_rpc_client SOURCES unit/test_rpc_client.c LIBS creel_api LABELS unit)
creel_test(test_rpc_put SOURCES unit/test_rpc_put.c LIBS creel_rm LABELS unit)
creel_test(test_rpc_tracker SOURCES unit/test_rpc_tracker.c LIBS creel_rm LABELS unit)
creel_test(test_rpc_submit SOURCES unit/test_rpc_submit.c LIBS creel_rm LABELS unit)
creel_test(test_rpc_server SOURCES unit/test_rpc_server.c LIBS creel_api LABELS unit threads)
foreach(name test_rpc_session test_rpc_digest test_rpc_put test_rpc_submit
        test_rpc_tracker test_rpc_client
        test_rpc_server)
  target_compile_definitions(${name} PRIVATE
                             RPC_GOLDEN="${CMAKE_SOURCE_DIR}/tests/interop/rpc")
endforeach()
