foreach(subject single traces trace_formats trace_written workloads inputs)
  set(sources ${CMAKE_SOURCE_DIR}/tests/sim/test_sim_${subject}.c)
  if(subject MATCHES "trace_written|inputs")
    list(APPEND sources ${CMAKE_SOURCE_DIR}/tests/sim/trace_write.c)
  endif()
  creel_test(test_sim_${subject} SOURCES ${sources} LIBS creel_sim_inputs LABELS unit sim)
  target_compile_definitions(test_sim_${subject}
      PRIVATE TRACES_DIR="${CMAKE_SOURCE_DIR}/tests/paper/traces")
endforeach()
