add_executable(gen-text ${CMAKE_SOURCE_DIR}/tests/bench/gen_text.c)
target_link_libraries(gen-text PRIVATE m)
