creel_test(test_rm_term SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_term.c
           LIBS creel_rm_term creel_core_world LABELS unit)
creel_test(test_rm_outbox SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_outbox.c
           LIBS creel_rm_term LABELS unit)
# What the rules of a leadership ask of libc: no more than the core does.
add_executable(term_alone ${CMAKE_SOURCE_DIR}/tests/unit/term_alone.c)
target_link_libraries(term_alone PRIVATE creel_rm_term)
creel_script_test(term_symbols ${CMAKE_CURRENT_SOURCE_DIR}/unit/core_symbols LABELS unit
                  ARGS $<TARGET_FILE:term_alone> $<TARGET_FILE:creel_rm_term>
                  $<TARGET_FILE:creel_rm_core> $<TARGET_FILE:creel_policies>)
creel_test(test_rm_lead_rules SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_lead_rules.c
           LIBS creel_rm_term LABELS unit)
creel_test(test_rm_node_wait SOURCES ${CMAKE_SOURCE_DIR}/tests/unit/test_rm_node_wait.c
           LIBS creel_rm_term LABELS unit)
