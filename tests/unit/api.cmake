creel_test(test_api_hosts SOURCES unit/test_api_hosts.c unit/api_client.c LIBS creel_api
           LABELS unit threads)
creel_test(test_api_spare_memory SOURCES unit/test_api_spare_memory.c LIBS creel_api LABELS unit)
creel_test(test_api_peers SOURCES unit/test_api_peers.c unit/api_client.c LIBS creel_api
           LABELS unit threads)
creel_test(test_api_limits SOURCES unit/test_api_limits.c unit/api_client.c LIBS creel_api
           LABELS unit threads)
creel_test(test_api_shape SOURCES unit/test_api_shape.c LIBS creel_api LABELS unit)
creel_test(test_api_request SOURCES unit/test_api_request.c LIBS creel_api LABELS unit)
creel_test(test_api_server SOURCES unit/test_api_server.c unit/api_client.c LIBS creel_api
           LABELS unit threads TIMEOUT 180)
creel_test(test_api_bodies SOURCES unit/test_api_bodies.c unit/api_client.c LIBS creel_api
           LABELS unit threads TIMEOUT 180)
creel_test(test_api_long_text SOURCES unit/test_api_long_text.c unit/api_client.c LIBS creel_api
           LABELS unit threads)
creel_test(test_api_parking SOURCES unit/test_api_parking.c unit/api_client.c LIBS creel_api
           LABELS unit threads TIMEOUT 180)
creel_test(test_api_beans SOURCES unit/test_api_beans.c LIBS creel_api LABELS unit)
creel_test(test_api_calls SOURCES unit/test_api_calls.c unit/api_client.c LIBS creel_api
           LABELS unit threads)
creel_test(test_api_servlets SOURCES unit/test_api_servlets.c unit/api_client.c LIBS creel_api
           LABELS unit threads)
creel_test(test_api_access SOURCES unit/test_api_access.c unit/api_client.c LIBS creel_api
           LABELS unit threads)
creel_test(test_api_principals SOURCES unit/test_api_principals.c LIBS creel_api LABELS unit)
creel_test(test_api_tokens SOURCES unit/test_api_tokens.c unit/api_client.c LIBS creel_api
           LABELS unit threads)
# What a standby answers, served by a fake daemon.
creel_test(test_standby SOURCES unit/test_standby.c unit/api_client.c
           ${CMAKE_SOURCE_DIR}/rm/leader/standby.c ${CMAKE_SOURCE_DIR}/rm/http/ha.c
           LIBS creel_api LABELS unit threads)
target_compile_definitions(test_standby PRIVATE 
                           GOLDEN_DIR="${CMAKE_SOURCE_DIR}/tests/interop/yarn/special")
creel_test(test_rm_failover_http SOURCES unit/test_rm_failover_http.c unit/api_client.c
           unit/rms_of_test.c LIBS creel_rm LABELS unit threads)
creel_test(test_rm_queue_beans SOURCES unit/test_rm_queue_beans.c LIBS creel_rm LABELS unit)
creel_test(test_api_signature SOURCES unit/test_api_signature.c unit/api_client.c unit/start_namer.c
           LIBS creel_api LABELS unit threads)
