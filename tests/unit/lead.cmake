creel_test(test_rm_term SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_term.c LIBS creel_rm LABELS unit threads)
creel_test(test_rm_ha_conf SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_ha_conf.c LIBS creel_rm LABELS unit threads)
creel_test(test_rm_lead SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_lead.c LIBS creel_rm LABELS unit threads)
creel_test(test_rm_history_keep SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_history_keep.c LIBS creel_rm LABELS unit)
