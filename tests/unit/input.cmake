creel_test(test_rm_input SOURCES unit/test_rm_input.c ${CMAKE_SOURCE_DIR}/rm/jobs/splits.c
           ${CMAKE_SOURCE_DIR}/rm/jobs/output_folder.c ${CMAKE_SOURCE_DIR}/rm/jobs/output_taken.c
           LIBS creel_base LABELS unit)

creel_test(test_rm_files SOURCES unit/test_rm_files.c LIBS creel_rm LABELS unit threads)
creel_test(test_rm_output SOURCES unit/test_rm_output.c ${CMAKE_SOURCE_DIR}/rm/jobs/splits.c
           ${CMAKE_SOURCE_DIR}/rm/jobs/output_folder.c ${CMAKE_SOURCE_DIR}/rm/jobs/output_taken.c
           LIBS creel_base LABELS unit)
