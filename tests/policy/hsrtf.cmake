add_library(policy_fake STATIC policy/policy_fake.c)
target_link_libraries(policy_fake PUBLIC creel_policies)
creel_test(test_policy_hsrtf SOURCES policy/test_policy_hsrtf.c LIBS policy_fake LABELS policy)
creel_test(test_policy_srpt SOURCES policy/test_policy_srpt.c LIBS policy_fake LABELS policy)
creel_test(test_policy_las SOURCES policy/test_policy_las.c LIBS policy_fake LABELS policy)
creel_test(test_policy_properties SOURCES policy/test_policy_properties.c LIBS policy_fake
           LABELS policy)
