# A thousand random workloads for each policy; fewer in sanitizer builds, which are slow.
if(CREEL_SANITIZE)
  set(property_seeds 60)
else()
  set(property_seeds 1000)
endif()
creel_test(test_sim_properties SOURCES sim/test_sim_properties.c LIBS creel_sim
           LABELS sim policy ARGS ${property_seeds})
creel_script_test(sim_log ${CMAKE_SOURCE_DIR}/tests/sim/test_sim_log.sh LABELS sim)
