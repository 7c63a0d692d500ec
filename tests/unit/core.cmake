add_library(creel_core_world STATIC sim/core_world.c sim/core_world_ask.c sim/effect_print.c)
target_link_libraries(creel_core_world PUBLIC creel_rm_core)
creel_test(test_core_life SOURCES unit/test_core_life.c LIBS creel_rm_core LABELS unit)
creel_test(test_core_mem SOURCES unit/test_core_mem.c LIBS creel_rm_core LABELS unit)
creel_test(test_core_jobs SOURCES unit/test_core_jobs.c LIBS creel_core_world LABELS unit)
creel_test(test_core_steps SOURCES unit/test_core_steps.c LIBS creel_core_world LABELS unit)
creel_test(test_core_step_places SOURCES unit/test_core_step_places.c
           LIBS creel_core_world LABELS unit)
creel_test(test_core_nodes SOURCES unit/test_core_nodes.c LIBS creel_core_world LABELS unit)
creel_test(test_core_logs SOURCES unit/test_core_logs.c LIBS creel_core_world LABELS unit)
creel_test(test_core_hadoop_nodes SOURCES unit/test_core_hadoop_nodes.c
           LIBS creel_core_world LABELS unit)
creel_test(test_core_masters SOURCES unit/test_core_masters.c LIBS creel_core_world LABELS unit)
creel_test(test_core_masters_again SOURCES unit/test_core_masters_again.c
           LIBS creel_core_world LABELS unit)
creel_test(test_core_mapreduce SOURCES unit/test_core_mapreduce.c LIBS creel_core_world LABELS unit)
creel_test(test_core_third_party SOURCES unit/test_core_third_party.c
           LIBS creel_core_world LABELS unit)
creel_test(test_core_master_slots SOURCES unit/test_core_master_slots.c
           LIBS creel_core_world LABELS unit)
creel_test(test_core_waiting SOURCES unit/test_core_waiting.c LIBS creel_rm_core LABELS unit)
creel_test(test_core_updates SOURCES unit/test_core_updates.c LIBS creel_core_world LABELS unit)
creel_test(test_core_recovery SOURCES unit/test_core_recovery.c LIBS creel_core_world LABELS unit)
creel_test(test_core_damage SOURCES unit/test_core_damage.c LIBS creel_core_world LABELS unit)
creel_test(test_core_bounds SOURCES unit/test_core_bounds.c LIBS creel_core_world LABELS unit)
creel_test(test_core_takeover SOURCES unit/test_core_takeover.c LIBS creel_core_world LABELS unit)
creel_test(test_core_takeover_store SOURCES unit/test_core_takeover_store.c
           LIBS creel_core_world LABELS unit)
creel_test(test_core_reserve SOURCES unit/test_core_reserve.c LIBS creel_core_world LABELS unit)
creel_test(test_core_policy SOURCES unit/test_core_policy.c LIBS creel_core_world LABELS unit)
creel_test(test_core_random SOURCES sim/test_core_random.c sim/random_check.c
           LIBS creel_core_world LABELS sim TIMEOUT 900)
# The core and the policies need only the pure part of base and libc (with libm): that core_alone
# links proves it. The script checks which symbols of libc the archives refer to.
add_executable(core_alone unit/core_alone.c)
target_link_libraries(core_alone PRIVATE creel_rm_core)
add_test(NAME core_alone COMMAND core_alone)
set_tests_properties(core_alone PROPERTIES LABELS unit TIMEOUT 60)
creel_script_test(core_symbols ${CMAKE_CURRENT_SOURCE_DIR}/unit/core_symbols LABELS unit
                  ARGS $<TARGET_FILE:core_alone> $<TARGET_FILE:creel_rm_core>
                  $<TARGET_FILE:creel_policies>)
# Of the source alone: the build with the address sanitizer checks it, once in a run of everything.
if(CREEL_SANITIZE MATCHES address)
  creel_script_test(structure ${CMAKE_CURRENT_SOURCE_DIR}/unit/structure LABELS unit
                    ARGS ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  creel_script_test(layout ${CMAKE_CURRENT_SOURCE_DIR}/unit/layout LABELS unit
                    ARGS ${CMAKE_SOURCE_DIR})
  set(mutants ${CMAKE_SOURCE_DIR}/tests/mutants)
  creel_script_test(mutants_apply ${CMAKE_SOURCE_DIR}/tests/mutate LABELS unit
                    ARGS --check ${mutants}/known ${mutants}/seed-1)
endif()
creel_test(test_core_queues SOURCES unit/test_core_queues.c LIBS creel_core_world LABELS unit)
creel_test(test_core_preempt SOURCES unit/test_core_preempt.c LIBS creel_core_world LABELS unit)
creel_test(test_core_wide SOURCES unit/test_core_wide.c LIBS creel_core_world LABELS unit)
creel_test(test_core_guards SOURCES unit/test_core_guards.c LIBS creel_core_world LABELS unit)
creel_test(test_core_totals SOURCES unit/test_core_totals.c LIBS creel_core_world LABELS unit)
creel_test(test_core_ledger SOURCES unit/test_core_ledger.c LIBS creel_core_world LABELS unit)
creel_test(test_core_activity SOURCES unit/test_core_activity.c LIBS creel_core_world LABELS unit)
creel_test(test_core_pages SOURCES unit/test_core_pages.c LIBS creel_core_world LABELS unit)
creel_test(test_core_views SOURCES unit/test_core_views.c LIBS creel_core_world LABELS unit)
target_link_libraries(test_core_views PRIVATE m)
creel_test(test_core_decommission SOURCES unit/test_core_decommission.c
           LIBS creel_core_world LABELS unit)
creel_test(test_core_node_resource SOURCES unit/test_core_node_resource.c
           LIBS creel_core_world LABELS unit)
creel_test(test_core_master_keys SOURCES unit/test_core_master_keys.c LIBS creel_core_world
           LABELS unit)
creel_test(test_core_tokens SOURCES unit/test_core_tokens.c LIBS creel_core_world LABELS unit)
creel_test(test_core_labels SOURCES unit/test_core_labels.c LIBS creel_core_world LABELS unit)
creel_test(test_core_queue_conf SOURCES unit/test_core_queue_conf.c
           LIBS creel_core_world LABELS unit)
