creel_test(test_rm_history_http SOURCES unit/test_rm_history_http.c unit/api_client.c
           LIBS creel_rm LABELS unit threads)
