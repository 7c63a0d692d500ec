creel_test(test_slot_profile SOURCES policy/test_slot_profile.c LIBS creel_policies LABELS policy)
