creel_test(test_sim_cost SOURCES sim/test_sim_cost.c LIBS creel_sim LABELS unit sim)
creel_test(test_sim_size_error SOURCES sim/test_sim_size_error.c LIBS creel_sim_cli
           LABELS unit sim)
creel_test(test_sim_engine SOURCES sim/test_sim_engine.c LIBS creel_sim LABELS unit sim)
