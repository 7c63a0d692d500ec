/* tests/e2e/zk_fixture.h - real ZooKeeper servers for CUnit programs: zookeeper.sh, driven through
 * a pipe. Servers are numbered from 1 on. They end with the fixture, and with the program however
 * that ends.
 * Every call ends the program with a message when it cannot do what it says. One thread at a
 * time. */
#ifndef CREEL_TESTS_ZK_FIXTURE_H
#define CREEL_TESTS_ZK_FIXTURE_H

struct zk_fixture;

/* Ends the program with 77 (skipped) where java or Debian's package zookeeper is missing. */
void zk_fixture_or_skip(void);
/* @n servers (1 or 3) that serve, in a folder of their own, with short sessions (400 ms and up). */
struct zk_fixture *zk_fixture_new(int n);
void zk_fixture_free(struct zk_fixture *f); /* NULL is fine */

const char *zk_fixture_servers(const struct zk_fixture *f); /* "127.0.0.1:port,..." */
const char *zk_fixture_dir(const struct zk_fixture *f);
void zk_fixture_stop(struct zk_fixture *f, int i); /* TERM; both return when the server is gone */
void zk_fixture_kill(struct zk_fixture *f, int i); /* KILL */
void zk_fixture_start(struct zk_fixture *f,
                      int i); /* again, on its old port and data; returns when it serves */
void zk_fixture_pause(struct zk_fixture *f, int i);    /* STOP */
void zk_fixture_continue(struct zk_fixture *f, int i); /* CONT */
int zk_fixture_leader(struct zk_fixture *f);           /* waits for one */

#endif
