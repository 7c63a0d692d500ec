foreach(subject text quote table progress when)
  creel_test(test_cli_${subject} SOURCES unit/test_cli_${subject}.c LIBS creel_cli_text LABELS unit)
endforeach()
# The size parser belongs to base; this tests what the command line lets people write.
creel_test(test_cli_size SOURCES unit/test_cli_size.c LIBS creel_base LABELS unit)
