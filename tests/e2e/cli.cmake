creel_script_test(e2e_cli ${CMAKE_SOURCE_DIR}/tests/e2e/cli.sh LABELS e2e TIMEOUT 300)
