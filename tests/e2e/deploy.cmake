creel_script_test(e2e_completion ${CMAKE_SOURCE_DIR}/tests/e2e/completion.sh LABELS e2e TIMEOUT 120)
creel_script_test(e2e_hosts ${CMAKE_SOURCE_DIR}/tests/e2e/hosts.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_wrong_conf ${CMAKE_SOURCE_DIR}/tests/e2e/wrong_conf.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_deploy_files ${CMAKE_SOURCE_DIR}/tests/e2e/deploy_files.sh LABELS e2e
                  TIMEOUT 120)
creel_script_test(e2e_pages ${CMAKE_SOURCE_DIR}/tests/e2e/pages.sh LABELS e2e TIMEOUT 120)
creel_script_test(e2e_stores ${CMAKE_SOURCE_DIR}/tests/e2e/stores.sh LABELS e2e TIMEOUT 120)
