creel_test(test_api_shape SOURCES unit/test_api_shape.c LIBS creel_api LABELS unit)
creel_test(test_api_request SOURCES unit/test_api_request.c LIBS creel_api LABELS unit)
creel_test(test_api_server SOURCES unit/test_api_server.c unit/api_client.c LIBS creel_api LABELS unit threads
           TIMEOUT 180)
creel_test(test_api_parking SOURCES unit/test_api_parking.c unit/api_client.c LIBS creel_api LABELS unit threads
           TIMEOUT 180)
