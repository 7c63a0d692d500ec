foreach(subject error mem map heap id json plain crypto keyring log_token credentials
        hadoop_ids java_regex)
  creel_test(test_base_${subject} SOURCES unit/test_base_${subject}.c LIBS creel_base LABELS unit)
endforeach()
creel_test(test_base_clock SOURCES unit/test_base_clock.c unit/clock_virtual.c LIBS creel_base
           LABELS unit)
creel_test(test_base_conf SOURCES unit/test_base_conf.c LIBS creel_base LABELS unit)
creel_test(test_base_rm_list SOURCES unit/test_base_rm_list.c LIBS creel_base LABELS unit)
creel_test(test_base_io SOURCES unit/test_base_io.c LIBS creel_base LABELS unit)
creel_test(test_base_log SOURCES unit/test_base_log.c LIBS creel_base LABELS unit threads)
creel_test(test_base_http SOURCES unit/test_base_http.c LIBS creel_base LABELS unit threads
           TIMEOUT 120)
creel_test(test_base_log_journal SOURCES unit/test_base_log_journal.c LIBS creel_base LABELS unit)
set_tests_properties(test_base_log_journal PROPERTIES SKIP_RETURN_CODE 77)
creel_test(test_base_mailbox SOURCES unit/test_base_mailbox.c LIBS creel_base LABELS unit threads)
