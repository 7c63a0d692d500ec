creel_test(test_policy_options SOURCES policy/test_policy_options.c LIBS creel_policies
           LABELS policy)
creel_test(test_policy_delay SOURCES policy/test_policy_delay.c policy/delay_formulas.c
            LIBS creel_policies LABELS policy)
creel_test(test_policy_order SOURCES policy/test_policy_order.c LIBS creel_policies LABELS policy)
creel_test(test_policy_learned SOURCES policy/test_policy_learned.c LIBS creel_policies
           LABELS policy)
