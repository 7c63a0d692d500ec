creel_test(test_api_shape SOURCES unit/test_api_shape.c LIBS creel_api LABELS unit)
creel_test(test_api_request SOURCES unit/test_api_request.c LIBS creel_api LABELS unit)
