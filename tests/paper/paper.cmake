# With sanitizers one seed shows that everything runs; the release build judges the figures.
if(CREEL_SANITIZE)
  set(paper_args --seeds 1-1 --figures-only)
else()
  set(paper_args --seeds 1-10)
endif()
foreach(paper hsrtf hfsp rtmr hfs)
  creel_script_test(paper_${paper} ${CMAKE_CURRENT_SOURCE_DIR}/paper/run LABELS paper TIMEOUT 900
                    ARGS --build ${CMAKE_BINARY_DIR} --out - --paper ${paper} ${paper_args})
endforeach()
creel_script_test(paper_judged ${CMAKE_CURRENT_SOURCE_DIR}/paper/judged.sh LABELS paper)
