creel_test(test_store SOURCES unit/test_store.c LIBS creel_ha LABELS unit)
creel_test(test_spec_json SOURCES unit/test_spec_json.c LIBS creel_rm LABELS unit)
creel_test(test_node_json SOURCES unit/test_node_json.c LIBS creel_rm LABELS unit)
creel_test(test_store_thread SOURCES unit/test_store_thread.c LIBS creel_rm LABELS unit threads)
