# Simulation runs, their figures and reports, and the command `creel sim`.
file(GLOB sim_cli_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c
     ${CMAKE_CURRENT_SOURCE_DIR}/report/*.c ${CMAKE_CURRENT_SOURCE_DIR}/paper/*.c)
add_library(creel_sim_cli STATIC ${sim_cli_sources})
target_link_libraries(creel_sim_cli PUBLIC creel_sim_inputs creel_sim creel_build creel_base
                      PkgConfig::JANSSON m)
