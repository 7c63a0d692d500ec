/* ha/election/instance.h - identifies a process in one line: "host=<name> boot=<id> pidns=<inode>
 * pid=<n> start=<ticks>".
 *
 * The line is stored in an RM's election node, for people and for the next process on the same
 * host. boot: /proc/sys/kernel/random/boot_id; pidns: inode of /proc/self/ns/pid; start: field 22
 * of /proc/<pid>/stat; see proc(5). */
#ifndef CREEL_HA_ELECTION_INSTANCE_H
#define CREEL_HA_ELECTION_INSTANCE_H

#include <stdbool.h>

#define HA_INSTANCE_MAX 512

void ha_instance_describe_self(char out[HA_INSTANCE_MAX]); /* describes the calling process */
/* Returns true if the process is certainly dead: it ran under the current boot and in our pid
 * namespace, and the kernel knows no process with that pid, or /proc shows a different process or a
 * zombie. Returns false for any other text, and whenever the death is not proved. */
bool ha_instance_is_surely_dead(const char *text);

#endif
