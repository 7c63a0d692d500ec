creel_test(test_store SOURCES unit/test_store.c LIBS creel_ha LABELS unit)
creel_test(test_durable SOURCES unit/test_durable.c LIBS creel_ha creel_base LABELS unit)
creel_test(test_spec_json SOURCES unit/test_spec_json.c LIBS creel_rm LABELS unit)
creel_test(test_node_json SOURCES unit/test_node_json.c LIBS creel_rm LABELS unit)
creel_test(test_store_thread SOURCES unit/test_store_thread.c LIBS creel_rm LABELS unit threads)
creel_test(test_rm_daemon SOURCES unit/test_rm_daemon.c unit/clock_virtual.c LIBS creel_rm
           LABELS unit threads)
creel_test(test_damaged_rows SOURCES unit/test_damaged_rows.c LIBS creel_rm LABELS unit threads)
