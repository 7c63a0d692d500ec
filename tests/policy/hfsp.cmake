creel_test(test_virtual_cluster SOURCES policy/test_virtual_cluster.c LIBS creel_policies
           LABELS policy)
creel_test(test_estimator SOURCES policy/test_estimator.c LIBS creel_policies LABELS policy)
creel_test(test_hfsp_figures SOURCES policy/test_hfsp_figures.c LIBS creel_sim LABELS policy sim)
creel_test(test_policy_hfsp SOURCES policy/test_policy_hfsp.c policy/policy_fake.c
           LIBS creel_policies LABELS policy)
creel_test(test_hfsp_preempt SOURCES policy/test_hfsp_preempt.c policy/policy_fake.c
           LIBS creel_policies LABELS policy)
creel_test(test_hfsp_rank SOURCES policy/test_hfsp_rank.c LIBS creel_policies LABELS policy)
creel_test(test_virtual_fair SOURCES policy/test_virtual_fair.c LIBS creel_policies LABELS policy)
