creel_test(test_ha_log_history SOURCES unit/test_ha_log_history.c unit/log_zk.c LIBS creel_ha LABELS unit)
