# Inputs of simulations: named workloads and traces; and the single-server model.
file(GLOB sim_input_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/input/*.c)
add_library(creel_sim_inputs STATIC ${sim_input_sources})
target_link_libraries(creel_sim_inputs PUBLIC creel_sim creel_base m)
