creel_test(test_nm_search SOURCES unit/test_nm_search.c LIBS creel_nm_core LABELS unit nodemanager)
creel_test(test_nm_core SOURCES unit/test_nm_core.c LIBS creel_nm_core LABELS unit nodemanager)
creel_test(test_nm_masters SOURCES unit/test_nm_masters.c
           LIBS creel_nm_core LABELS unit nodemanager)
creel_test(test_nm_link SOURCES unit/test_nm_link.c LIBS creel_nm_core LABELS unit nodemanager)
creel_test(test_nm_look SOURCES unit/test_nm_look.c LIBS creel_nm LABELS unit nodemanager)
creel_test(test_nm_identify SOURCES unit/test_nm_identify.c LIBS creel_nm LABELS unit nodemanager)
creel_test(test_nm_progress SOURCES unit/test_nm_progress.c LIBS creel_nm LABELS unit nodemanager)
creel_test(test_nm_files SOURCES unit/test_nm_files.c LIBS creel_nm LABELS unit nodemanager)
creel_test(test_nm_isolation SOURCES unit/test_nm_isolation.c
           LIBS creel_nm LABELS unit nodemanager TIMEOUT 60)
creel_test(test_nm_cgroup SOURCES unit/test_nm_cgroup.c LIBS creel_nm LABELS unit nodemanager)
creel_test(test_wire SOURCES unit/test_wire.c LIBS creel_wire LABELS unit)
creel_test(test_wire_task_file SOURCES unit/test_wire_task_file.c LIBS creel_wire LABELS unit)
creel_test(test_nm_wire SOURCES unit/test_nm_wire.c LIBS creel_nm LABELS unit nodemanager)
creel_test(test_nm_expand SOURCES unit/test_nm_expand.c LIBS creel_nm LABELS unit nodemanager)
creel_test(test_nm_rpc_launch SOURCES unit/test_nm_rpc_launch.c
           LIBS creel_nm LABELS unit nodemanager)
target_compile_definitions(test_nm_rpc_launch PRIVATE
                           RPC_GOLDEN="${CMAKE_SOURCE_DIR}/tests/interop/rpc")
creel_test(test_nm_java SOURCES unit/test_nm_java.c LIBS creel_nm LABELS unit nodemanager)
creel_test(test_nm_aggregate SOURCES unit/test_nm_aggregate.c
           LIBS creel_nm LABELS unit nodemanager)
target_compile_definitions(test_nm_aggregate PRIVATE
                           RPC_GOLDEN="${CMAKE_SOURCE_DIR}/tests/interop/rpc"
                           TESTS="${CMAKE_SOURCE_DIR}/tests")
creel_test(test_nm_shuffle SOURCES unit/test_nm_shuffle.c LIBS creel_nm LABELS unit nodemanager)
creel_test(test_nm_shuffle_connection SOURCES unit/test_nm_shuffle_connection.c LIBS creel_nm
           LABELS unit nodemanager)
