/* ha/election/instance.h - who a process is, in one line: "host=<name> boot=<id> pidns=<inode> pid=<n> start=<ticks>".
 * It stands in the election node of an RM, for people and for the next process on the same host.
 *
 * boot: /proc/sys/kernel/random/boot_id; pidns: inode of /proc/self/ns/pid; start: field 22 of /proc/<pid>/stat; see
 * proc(5). */
#ifndef CREEL_HA_ELECTION_INSTANCE_H
#define CREEL_HA_ELECTION_INSTANCE_H

#include <stdbool.h>

#define HA_INSTANCE_MAX 512

void ha_instance_text(char out[HA_INSTANCE_MAX]); /* of this process */
/* The process is dead for certain: it ran under this boot and in this pid namespace, and the kernel knows no process with
 * that pid, or /proc shows that it is another one (or nothing but a zombie). Of any other text, and where /proc does not
 * tell: false. */
bool ha_instance_is_dead(const char *text);

#endif
