set(job_step_sources ${CMAKE_SOURCE_DIR}/nodemanager/task/job/splits.c
    ${CMAKE_SOURCE_DIR}/nodemanager/task/job/output_folder.c
    ${CMAKE_SOURCE_DIR}/nodemanager/task/job/output_staging.c
    ${CMAKE_SOURCE_DIR}/nodemanager/task/job/output_taken.c)
creel_test(test_task_input SOURCES unit/test_task_input.c ${job_step_sources} LIBS creel_base
           LABELS unit)
creel_test(test_task_output SOURCES unit/test_task_output.c ${job_step_sources} LIBS creel_base
           LABELS unit)
