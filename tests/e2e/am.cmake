creel_script_test(e2e_am ${CMAKE_SOURCE_DIR}/tests/e2e/am.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_am_ha ${CMAKE_SOURCE_DIR}/tests/e2e/am_ha.sh LABELS e2e TIMEOUT 300)
foreach(master rpc_master rpc_ha_master)
  add_executable(${master} ${CMAKE_SOURCE_DIR}/tests/e2e/${master}.c
                 ${CMAKE_SOURCE_DIR}/tests/e2e/rpc_am.c)
  target_link_libraries(${master} PRIVATE creel_nm creel_rm)
endforeach()
creel_script_test(e2e_rpc_master ${CMAKE_SOURCE_DIR}/tests/e2e/rpc_master.sh
                  LABELS "e2e;nodemanager" TIMEOUT 240)
creel_script_test(e2e_rpc_ha ${CMAKE_SOURCE_DIR}/tests/e2e/rpc_ha.sh LABELS "e2e;nodemanager"
                  TIMEOUT 240)
