# Whole clusters under fault schedules, in virtual time.
# To replay a seed: test_sim_faults --seed N --log
foreach(part run net zk_tree zk zk_client rm lead lead_thread rm_serve nm nm_look box step clients
        faults check world)
  list(APPEND fault_sources ${CMAKE_SOURCE_DIR}/tests/sim/sim_${part}.c)
endforeach()
add_library(creel_sim_faults STATIC ${fault_sources})
target_link_libraries(creel_sim_faults PUBLIC creel_ha creel_nm_core creel_rm creel_rm_term
                      creel_rm_core creel_base)
if(CREEL_SANITIZE OR CREEL_COVERAGE)
  set(fault_runs 1500)
else()
  set(fault_runs 10000)
endif()
creel_test(test_sim_faults SOURCES sim/test_sim_faults.c LIBS creel_sim_faults LABELS sim ha
           ARGS --runs ${fault_runs} --jobs 2)
# Equal seeds make equal worlds.
add_test(NAME sim_faults_twice COMMAND test_sim_faults --runs 100 --seed 900000 --twice)
set_tests_properties(sim_faults_twice PROPERTIES LABELS "sim;ha" TIMEOUT 300)
# Every check finds the fault that it is there for: each test breaks one rule of the cluster; the
# fence's two halves are broken one at a time.
foreach(what log-check nm-epoch ack-early forget-commits forget-tasks new-folder no-wait
        deaf-masters shared-parts no-limit)
  set(breaks --break ${what})
  if(what STREQUAL nm-epoch) # a lease would keep late orders from the nodes
    list(APPEND breaks --break lease)
  endif()
  add_test(NAME sim_faults_break_${what} COMMAND test_sim_faults --find --runs 6000 ${breaks})
  set_tests_properties(sim_faults_break_${what} PROPERTIES LABELS "sim;ha" TIMEOUT 300)
endforeach()
# Both halves of the fence are broken: nodes obey any epoch, and the log's writes do not check it.
# The checks must notice.
creel_test(test_sim_faults_broken_fence SOURCES sim/test_sim_faults.c LIBS creel_sim_faults
           LABELS sim ha ARGS --find --runs 1000)
target_compile_definitions(test_sim_faults_broken_fence PRIVATE CREEL_TEST_BROKEN_FENCE)
