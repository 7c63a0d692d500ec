creel_test(test_fair_shares SOURCES policy/test_fair_shares.c LIBS creel_policies LABELS policy)
creel_test(test_policy_queues SOURCES policy/test_policy_queues.c LIBS creel_policies LABELS policy)
creel_test(test_policy_fair SOURCES policy/test_policy_fair.c LIBS creel_policies LABELS policy)
creel_test(test_policy_fair_random SOURCES policy/test_policy_fair_random.c
           LIBS creel_policies LABELS policy)
