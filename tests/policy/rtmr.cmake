creel_test(test_slot_profile SOURCES policy/test_slot_profile.c LIBS creel_policies LABELS policy)
creel_test(test_rtmr_queue SOURCES policy/test_rtmr_queue.c LIBS creel_policies LABELS policy)
creel_test(test_policy_rtmr SOURCES policy/test_policy_rtmr.c policy/rtmr_world.c
           LIBS creel_policies LABELS policy)
creel_test(test_policy_dc SOURCES policy/test_policy_dc.c policy/rtmr_world.c
           LIBS creel_policies LABELS policy)
creel_test(test_reservations SOURCES policy/test_reservations.c policy/rtmr_world.c
           LIBS creel_policies LABELS policy)
