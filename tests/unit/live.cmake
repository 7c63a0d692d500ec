creel_test(test_rm_options SOURCES unit/test_rm_options.c LIBS creel_rm LABELS unit)
creel_test(test_rm_queues SOURCES unit/test_rm_queues.c LIBS creel_rm LABELS unit threads)
creel_test(test_rm_history SOURCES unit/test_rm_history.c LIBS creel_rm creel_sim_inputs
           LABELS unit)
creel_test(test_rm_relay SOURCES unit/test_rm_relay.c unit/api_client.c unit/start_namer.c
           LIBS creel_rm LABELS unit threads)
creel_test(test_rm_audit SOURCES unit/test_rm_audit.c unit/api_client.c
           LIBS creel_rm LABELS unit threads)
creel_test(test_rm_user_paths SOURCES unit/test_rm_user_paths.c unit/api_client.c
           LIBS creel_rm LABELS unit threads)
