add_library(creel_ha_election_world STATIC unit/ha_election_world.c)
target_link_libraries(creel_ha_election_world PUBLIC creel_ha)
creel_test(test_ha_election SOURCES unit/test_ha_election.c LIBS creel_ha_election_world
           LABELS unit)
creel_test(test_ha_election_lead SOURCES unit/test_ha_election_lead.c
           LIBS creel_ha_election_world LABELS unit)
creel_test(test_ha_election_random SOURCES unit/test_ha_election_random.c
           LIBS creel_ha_election_world LABELS sim)
