if(TARGET creel-task)
  creel_test(test_task SOURCES e2e/test_task.c e2e/fake_mr.c ${CMAKE_SOURCE_DIR}/rm/rm_input.c
             LIBS creel_api PkgConfig::ZLIB LABELS e2e ARGS $<TARGET_FILE:creel-task> TIMEOUT 600)
endif()
creel_test(test_task_rm SOURCES e2e/test_task_rm.c e2e/fake_mr.c ${CMAKE_SOURCE_DIR}/nodemanager/task/task_rm.c
           LIBS creel_api LABELS e2e nodemanager)
