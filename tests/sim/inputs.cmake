creel_test(test_sim_single SOURCES ${CMAKE_SOURCE_DIR}/tests/sim/test_sim_single.c LIBS creel_sim_inputs LABELS unit sim)
