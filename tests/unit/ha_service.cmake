# creel_zk_fixture starts a real ZooKeeper for CUnit programs.
add_library(creel_zk_fixture STATIC e2e/zk_fixture.c)
target_compile_definitions(creel_zk_fixture PRIVATE CREEL_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(creel_zk_fixture PUBLIC creel_base)
creel_test(test_ha_zk_client SOURCES unit/test_ha_zk_client.c LIBS creel_ha creel_zk_fixture
           LABELS unit threads)
creel_test(test_ha_service SOURCES unit/test_ha_service.c LIBS creel_ha creel_zk_fixture
           LABELS unit threads)
creel_test(test_ha_service_conf SOURCES unit/test_ha_service_conf.c LIBS creel_ha LABELS unit)
