# What simulations are fed with: named workloads, traces; and the single server.
add_library(creel_sim_inputs STATIC sim_single.c)
target_link_libraries(creel_sim_inputs PUBLIC creel_sim creel_base m)
