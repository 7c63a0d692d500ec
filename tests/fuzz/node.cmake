creel_fuzz(fuzz_node_answer SOURCES fuzz/fuzz_node_answer.c LIBS creel_nm creel_rm)
# Five files are written for each run.
creel_fuzz(fuzz_task_files SOURCES fuzz/fuzz_task_files.c LIBS creel_nm creel_rm RUNS 1000)
