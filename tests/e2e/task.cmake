if(TARGET creel-task)
  foreach(t test_task test_task_failures)
    creel_test(${t} SOURCES e2e/${t}.c e2e/fake_mr.c
               ${CMAKE_SOURCE_DIR}/nodemanager/task/job/splits.c
               ${CMAKE_SOURCE_DIR}/nodemanager/task/job/output_folder.c
    ${CMAKE_SOURCE_DIR}/nodemanager/task/job/output_staging.c
               ${CMAKE_SOURCE_DIR}/nodemanager/task/job/output_taken.c
               LIBS creel_api PkgConfig::ZLIB LABELS e2e TIMEOUT 600
               ARGS $<TARGET_FILE:creel-task> ${CMAKE_BINARY_DIR}/bin/disk_order.so)
  endforeach()
  # Preloaded into the programs under test; built without sanitizers even when these have them.
  if(NOT CREEL_SANITIZE MATCHES thread)
    add_library(creel_disk_order MODULE ${CMAKE_SOURCE_DIR}/tests/fault/disk_order.c)
    set_target_properties(creel_disk_order PROPERTIES PREFIX "" OUTPUT_NAME disk_order
                          LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
    target_compile_options(creel_disk_order PRIVATE -fno-sanitize=all)
    target_link_options(creel_disk_order PRIVATE -fno-sanitize=all)
    add_dependencies(test_task creel_disk_order)
    add_dependencies(test_task_failures creel_disk_order)
  endif()
endif()
creel_test(test_task_rm SOURCES e2e/test_task_rm.c e2e/fake_mr.c
           ${CMAKE_SOURCE_DIR}/nodemanager/task/rm_client.c LIBS creel_api LABELS e2e nodemanager)
