creel_test(test_fair_shares SOURCES policy/test_fair_shares.c LIBS creel_policies LABELS policy)
