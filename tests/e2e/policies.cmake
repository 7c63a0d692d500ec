# What policies do to real processes. creel-test-lived is a task that runs as long as it is told,
# not counting the time it is stopped.
add_executable(creel-test-lived ${CMAKE_SOURCE_DIR}/tests/e2e/lived.c)
creel_script_test(e2e_preempt ${CMAKE_SOURCE_DIR}/tests/e2e/preempt.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_wide ${CMAKE_SOURCE_DIR}/tests/e2e/wide.sh LABELS e2e TIMEOUT 120)
creel_script_test(e2e_master_slots ${CMAKE_SOURCE_DIR}/tests/e2e/master_slots.sh LABELS e2e
                  TIMEOUT 120)
creel_script_test(e2e_fig7 ${CMAKE_SOURCE_DIR}/tests/e2e/fig7.sh LABELS e2e TIMEOUT 300)
creel_script_test(e2e_deadline ${CMAKE_SOURCE_DIR}/tests/e2e/deadline.sh LABELS e2e ARGS 3
                  TIMEOUT 300)
creel_script_test(e2e_policy_switch ${CMAKE_SOURCE_DIR}/tests/e2e/policy_switch.sh LABELS e2e
                  ARGS 12 TIMEOUT 300)
creel_script_test(e2e_every_policy ${CMAKE_SOURCE_DIR}/tests/e2e/every_policy.sh LABELS e2e
                  TIMEOUT 600)
creel_script_test(e2e_fair_queues ${CMAKE_SOURCE_DIR}/tests/e2e/fair_queues.sh LABELS e2e
                  TIMEOUT 300)
creel_script_test(e2e_history ${CMAKE_SOURCE_DIR}/tests/e2e/history.sh LABELS e2e TIMEOUT 300)
# These measure times.
set_tests_properties(e2e_fig7 e2e_history e2e_deadline e2e_fair_queues PROPERTIES RUN_SERIAL TRUE)
