creel_script_test(e2e_am ${CMAKE_SOURCE_DIR}/tests/e2e/am.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_am_ha ${CMAKE_SOURCE_DIR}/tests/e2e/am_ha.sh LABELS e2e TIMEOUT 300)
add_executable(rpc_master ${CMAKE_SOURCE_DIR}/tests/e2e/rpc_master.c)
target_link_libraries(rpc_master PRIVATE creel_nm creel_rm)
creel_script_test(e2e_rpc_master ${CMAKE_SOURCE_DIR}/tests/e2e/rpc_master.sh
                  LABELS "e2e;nodemanager" TIMEOUT 240)
