# Simulation runs, their figures and reports, and the command `creel sim`.
file(GLOB sim_cli_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c
     ${CMAKE_CURRENT_SOURCE_DIR}/report/*.c ${CMAKE_CURRENT_SOURCE_DIR}/paper/*.c)
add_library(creel_sim_cli STATIC ${sim_cli_sources})
add_custom_target(creel_commit BYPRODUCTS ${CMAKE_BINARY_DIR}/gen/base/commit.h
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_SOURCE_DIR} -D TO=${CMAKE_BINARY_DIR}/gen/base/commit.h
          -P ${CMAKE_SOURCE_DIR}/base/commit.cmake)
add_dependencies(creel_sim_cli creel_commit)
target_link_libraries(creel_sim_cli PUBLIC creel_sim_inputs creel_sim creel_base
                      PkgConfig::JANSSON m)
