creel_script_test(e2e_cli ${CMAKE_SOURCE_DIR}/tests/e2e/cli.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_cli_dev ${CMAKE_SOURCE_DIR}/tests/e2e/cli_dev.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_cli_words ${CMAKE_SOURCE_DIR}/tests/e2e/cli_words.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_cli_installed ${CMAKE_SOURCE_DIR}/tests/e2e/cli_installed.sh LABELS e2e TIMEOUT 120)
