/* Goal: under the journal each event is one entry with its fields.
 * Method: a mount namespace of this process alone, in which a socket of ours stands where the
 * journal's would. */
#include <CUnit/Basic.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/io/log.h"

static int journal = -1;

static bool own_namespace(void)
{
    return (geteuid() == 0 ? unshare(CLONE_NEWNS) : unshare(CLONE_NEWUSER | CLONE_NEWNS)) == 0 &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", "/run", "tmpfs", 0, "size=1m") == 0;
}

static bool listen_as_journal(void)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "/run/systemd/journal/socket"};

    journal = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return mkdir("/run/systemd", 0755) == 0 && mkdir("/run/systemd/journal", 0755) == 0 &&
           journal >= 0 && bind(journal, (struct sockaddr *)&a, sizeof a) == 0;
}

static void test_fields(void)
{
    static const char *const fields[] = {"MESSAGE=node n1: LOST\n", "PRIORITY=4\n",
                                         "SYSLOG_IDENTIFIER=creel-rm\n", "CREEL_AREA=core\n"};
    char entry[4096];
    ssize_t n;

    base_log_init("creel-rm", BASE_LOG_JOURNAL, BASE_LOG_INFO);
    base_log_debug("core", "not wanted");
    base_log_warn("core", "node %s: LOST", "n1");
    n = recv(journal, entry, sizeof entry - 1, 0);
    CU_ASSERT_FATAL(n > 0);
    entry[n] = '\0';
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        CU_ASSERT_PTR_NOT_NULL(strstr(entry, fields[i]));
    CU_ASSERT_EQUAL(recv(journal, entry, sizeof entry, 0), -1);
}

int main(void)
{
    CU_pSuite suite;
    unsigned failed;

    if (!own_namespace()) {
        puts("no mount namespaces here: skipped");
        return 77;
    }
    if (!listen_as_journal())
        return 1;
    CU_initialize_registry();
    suite = CU_add_suite("the journal", NULL, NULL);
    CU_add_test(suite, "fields", test_fields);
    CU_basic_run_tests();
    failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    close(journal);
    return failed != 0;
}
