foreach(subject single traces workloads inputs)
  creel_test(test_sim_${subject} SOURCES ${CMAKE_SOURCE_DIR}/tests/sim/test_sim_${subject}.c
             LIBS creel_sim_inputs LABELS unit sim)
  target_compile_definitions(test_sim_${subject}
      PRIVATE TRACES_DIR="${CMAKE_SOURCE_DIR}/tests/paper/traces")
endforeach()
