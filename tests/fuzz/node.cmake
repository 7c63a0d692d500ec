creel_fuzz(fuzz_node_answer SOURCES fuzz/fuzz_node_answer.c LIBS creel_nm creel_rm)
# Each run writes five files: fewer runs.
creel_fuzz(fuzz_task_files SOURCES fuzz/fuzz_task_files.c LIBS creel_nm creel_rm RUNS 1000)
creel_fuzz(fuzz_wire SOURCES fuzz/fuzz_wire.c LIBS creel_wire)
creel_fuzz(fuzz_shuffle SOURCES fuzz/fuzz_shuffle.c LIBS creel_nm)
