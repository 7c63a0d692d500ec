creel_test(test_ha_log SOURCES unit/test_ha_log.c unit/log_rig.c unit/log_zk.c LIBS creel_ha
           LABELS unit)
creel_test(test_ha_log_read SOURCES unit/test_ha_log_read.c unit/log_rig.c unit/log_zk.c
           LIBS creel_ha LABELS unit)
creel_test(test_ha_log_history SOURCES unit/test_ha_log_history.c unit/log_zk.c LIBS creel_ha
           LABELS unit)
creel_test(test_ha_log_follow SOURCES unit/test_ha_log_follow.c unit/log_rig.c unit/log_zk.c
           LIBS creel_ha LABELS unit)
