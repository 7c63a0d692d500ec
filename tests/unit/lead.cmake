creel_test(test_rm_leadership SOURCES unit/test_rm_leadership.c LIBS creel_rm LABELS unit threads)
creel_test(test_rm_ha_conf SOURCES unit/test_rm_ha_conf.c LIBS creel_rm LABELS unit threads)
creel_test(test_rm_lead SOURCES unit/test_rm_lead.c LIBS creel_rm LABELS unit threads)
creel_test(test_rm_history_keep SOURCES unit/test_rm_history_keep.c LIBS creel_rm LABELS unit)
