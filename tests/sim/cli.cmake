creel_test(test_sim_stats SOURCES sim/test_sim_stats.c LIBS creel_sim_cli LABELS unit sim)
