creel_test(test_tls SOURCES unit/test_tls.c unit/api_client.c LIBS creel_api LABELS unit threads)
