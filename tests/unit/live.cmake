creel_test(test_rm_options SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_options.c LIBS creel_rm LABELS unit)
creel_test(test_rm_queues SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_queues.c LIBS creel_rm LABELS unit threads)
creel_test(test_rm_history SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_history.c LIBS creel_rm creel_sim_inputs
           LABELS unit)
creel_test(test_rm_relay SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_relay.c ${CMAKE_SOURCE_DIR}/tests/unit/api_client.c
           LIBS creel_rm LABELS unit threads)
creel_test(test_rm_audit SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_audit.c ${CMAKE_SOURCE_DIR}/tests/unit/api_client.c
           LIBS creel_rm LABELS unit threads)
creel_test(test_rm_dead_mount SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_dead_mount.c ${CMAKE_SOURCE_DIR}/tests/unit/api_client.c
           LIBS creel_rm LABELS unit threads)
