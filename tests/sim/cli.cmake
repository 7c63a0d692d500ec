creel_test(test_sim_stats SOURCES sim/test_sim_stats.c LIBS creel_sim_cli LABELS unit sim)
creel_test(test_sim_pool SOURCES sim/test_sim_pool.c LIBS creel_sim_cli LABELS unit sim)
creel_script_test(sim_cli ${CMAKE_SOURCE_DIR}/tests/sim/test_sim_cli.sh LABELS sim)
