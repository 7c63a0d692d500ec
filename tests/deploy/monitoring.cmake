creel_script_test(e2e_monitoring ${CMAKE_SOURCE_DIR}/tests/deploy/monitoring.sh LABELS e2e
                  TIMEOUT 120)
