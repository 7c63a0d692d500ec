/* The only list of keys, their defaults and help texts. Keep it sorted by subject; Hadoop's own names where Hadoop
 * has the same thing. */
#include "base/conf/conf.h"

#define STR(key, def, text) {.name = key, .type = BASE_CONF_STRING, .value = def, .help = text}
#define INT(key, def, lo, hi, text) {.name = key, .type = BASE_CONF_INT, .value = def, .min = lo, .max = hi, .help = text}
#define BOOL(key, def, text) {.name = key, .type = BASE_CONF_BOOL, .value = def, .help = text}
#define DBL(key, def, text) {.name = key, .type = BASE_CONF_DOUBLE, .value = def, .help = text}

#define MS_MAX INT32_MAX /* about 24 days */

/* clang-format off */
const struct base_conf_key base_conf_keys[] = {
    /* the cluster */
    STR("creel.cluster.name", "", "name shown for the cluster"),
    STR("creel.cluster.secret", "", "secret shared by the ResourceManager and its NodeManagers; empty: none. Jobs can read it on the nodes: tasks run as the NodeManager's user"),
    STR("yarn.resourcemanager.cluster-id", "", "id of the cluster, shared by all its ResourceManagers"),
    STR("hadoop.http.staticuser.user", "dr.who", "user of HTTP requests that name none"),

    /* HTTP, of ResourceManager and NodeManager alike */
    STR("creel.http.allowed-hosts", "", "further names by which clients and nodes may address a daemon (\".example.org\": all below it), separated by commas; a request for any other name than an address, localhost, one of the host's own or of the configuration is refused"),
    INT("creel.http.connections", "10000", 16, 1000000, "connections at once, to one daemon"),
    INT("creel.http.connections-per-address", "2500", 0, 1000000, "of them, from one address (IPv6: one /64 network), those of nodes that have shown creel.cluster.secret not counted; beyond it the oldest one that has sent no request gives way; 0: no limit"),
    INT("creel.http.connections-for-nodes", "1000", 0, 1000000, "of all connections, those kept back for nodes and their addresses"),
    INT("creel.http.header-timeout-ms", "30000", 100, MS_MAX, "time in which a request's head must arrive"),
    INT("creel.http.body-min-rate", "4096", 0, INT32_MAX, "bytes a second that a request's body must bring, in each 10 s; 0: any"),
    INT("creel.http.body-memory-mb", "256", 32, 1048576, "memory for all bodies that are being read or wait for their answer, and for long lists until they are sent; one address has at most half of it, a quarter is kept back for nodes; beyond it 503"),
    BOOL("creel.http.jmx-any-origin", "false", "let pages of every web site read /jmx (Access-Control-Allow-Origin: *), as YARN does"),

    /* ResourceManager */
    STR("creel.rm.bind", "127.0.0.1", "address the ResourceManager listens on"),
    INT("creel.rm.port", "8088", 0, 65535, "port the ResourceManager listens on; 0: any free one"),
    STR("creel.rm.state-dir", "/var/lib/creel/rm", "folder of the ResourceManager's state"),
    STR("creel.rm.state-store", "", "kind of that state: sqlite, or memory, which forgets everything at the end of the process; of several ResourceManagers: zookeeper; default: the first that suits"),
    STR("creel.rm.audit-log", "", "file for the audit lines (who did what, from where, with which result), beside the log, where they have the area \"audit\"; opened again on SIGHUP"),
    BOOL("creel.rm.insecure", "false", "allow an address other than loopback, though users are not authenticated"),
    INT("creel.rm.http-threads", "0", 0, 1024, "threads that answer HTTP; 0: chosen by the number of cores"),
    INT("creel.rm.input-timeout-ms", "20000", 100, MS_MAX, "time in which the input files of a submission must be found"),
    INT("creel.rm.takeover-grace-ms", "5000", 0, MS_MAX, "one of several ResourceManagers that has become active: jobs submitted before wait so long for nodes that are not back yet; 0: those that have begun, until the nodes are lost"),
    INT("yarn.resourcemanager.max-completed-applications", "1000", 0, 1000000, "ended applications that are kept"),
    INT("creel.rm.max-completed-mb", "512", 1, 1000000, "memory for ended applications, about; beyond it the oldest jobs lose their tasks, then the oldest go"),
    INT("creel.rm.history-max-mb", "1024", 1, 1000000, "one of several ResourceManagers: size of the file of ended jobs; the oldest make room"),
    INT("yarn.resourcemanager.am.max-attempts", "2", 1, 1000, "attempts of an application master"),
    INT("yarn.am.liveness-monitor.expiry-interval-ms", "600000", 1, MS_MAX, "silence after which an application master is lost"),
    INT("yarn.nm.liveness-monitor.expiry-interval-ms", "30000", 1, MS_MAX, "silence after which a node is lost"),
    INT("creel.rm.forget-nodes-ms", "86400000", 0, MS_MAX, "time after which a node that is lost or was shut down is forgotten, counted from the end of the last application that it ran something of if that is later; 0: never"),
    INT("creel.rm.max-gone-nodes", "10000", 0, 1000000, "such nodes that are kept; the longest gone make room; 0: all"),
    INT("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "1000", 1, MS_MAX, "time between heartbeats of a node"),
    INT("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "600000", 1, MS_MAX, "time in which an allocated container must be started"),

    /* several ResourceManagers */
    BOOL("yarn.resourcemanager.ha.enabled", "false", "one of several ResourceManagers, of which one is active; as --ha"),
    STR("yarn.resourcemanager.ha.rm-ids", "", "ids of the ResourceManagers, separated by commas; the address of each is yarn.resourcemanager.webapp.address.<id> (host:port), or port 8088 of yarn.resourcemanager.hostname.<id>"),
    STR("yarn.resourcemanager.ha.id", "", "which of them this one is; default: the one whose address has this one's port"),
    STR("yarn.resourcemanager.zk-address", "", "ZooKeeper's servers: host:port, separated by commas"),
    STR("hadoop.zk.address", "", "where yarn.resourcemanager.zk-address is not set: the same"),
    INT("yarn.resourcemanager.zk-timeout-ms", "10000", 100, 3600000, "session time-out with ZooKeeper: an active ResourceManager that is silent for so long is replaced"),
    STR("hadoop.zk.auth", "", "digest:user:password that the state in ZooKeeper is protected with, or @FILE that holds it; default: user creel, password creel.cluster.secret"),
    STR("creel.ha.zk-root", "", "node in ZooKeeper that holds the state; default: /creel/<cluster-id>"),

    /* scheduler */
    STR("creel.scheduler.policy", "fifo", "who gets the next free slot: fifo, fair, hfsp, hsrtf-pr, rtmr, ...; Hadoop's class names of its FifoScheduler and FairScheduler are the same"),
    STR("yarn.resourcemanager.scheduler.class", "", "where creel.scheduler.policy is not set: Hadoop's FifoScheduler or FairScheduler; others are passed over"),
    STR("yarn.scheduler.fair.allocation.file", "", "queues, as Hadoop's Fair Scheduler has them; read again when it changes; default: fair-scheduler.xml of the configuration folder, if it is there"),
    BOOL("yarn.scheduler.fair.preemption", "false", "as creel.fair.preemption"),
    BOOL("yarn.scheduler.fair.sizebasedweight", "false", "as creel.fair.size_weight"),
    BOOL("yarn.scheduler.fair.user-as-default-queue", "true", "an allocation file without placement rules: who names no queue gets one called as himself"),
    BOOL("yarn.scheduler.fair.allow-undeclared-pools", "true", "an allocation file without placement rules: queues that it does not name are made when they are asked for"),
    INT("yarn.scheduler.fair.locality-delay-node-ms", "-1", -1, MS_MAX, "as creel.delay.w1, in milliseconds"),
    INT("yarn.scheduler.fair.locality-delay-rack-ms", "-1", -1, MS_MAX, "as creel.delay.w2, in milliseconds"),
    STR("creel.scheduler.queues", "", "names of the queues beside \"default\", separated by commas"),
    INT("creel.scheduler.locality-delay-ms", "-1", -1, MS_MAX, "delay scheduling: wait for a local node, then as long for the rack; 0: off; -1: as the policy has it"),
    DBL("creel.scheduler.slowstart", "0.05", "share of a job's maps that end before its reduces start, 0 to 1"),
    INT("creel.rtmr.offer-margin-ms", "5000", 0, 3600000, "a job refused for its deadline is offered the earliest date that could be promised, so much later, in whole seconds"),

    /* slots and jobs */
    INT("creel.slot.map.memory-mb", "2048", 1, INT32_MAX, "memory of a map slot"),
    INT("creel.slot.map.vcores", "1", 1, INT32_MAX, "virtual cores of a map slot"),
    INT("creel.slot.reduce.memory-mb", "2048", 1, INT32_MAX, "memory of a reduce slot"),
    INT("creel.slot.reduce.vcores", "1", 1, INT32_MAX, "virtual cores of a reduce slot"),
    STR("creel.yarn.hadoop-version", "3.4.2", "version of Hadoop that YARN's answers name; its tools branch on it"),
    BOOL("creel.yarn.show-slots", "false", "show slots as resource types in YARN's answers"),
    INT("creel.mapreduce.split-size", "134217728", 1, INT64_MAX, "largest input split in bytes (K, M, G allowed)"),
    INT("creel.mapreduce.sort-buffer-mb", "64", 1, 65536, "memory a map sorts in before it spills"),
    INT("creel.mapreduce.max-attempts", "4", 1, 100, "attempts of a task before its job fails"),

    /* NodeManager */
    STR("creel.nodemanager.rm", "http://127.0.0.1:8088", "address of the ResourceManager; several separated by commas; a redirection to any other one is not followed"),
    STR("creel.nodemanager.bind", "127.0.0.1", "address the NodeManager listens on"),
    INT("creel.nodemanager.port", "8042", 0, 65535, "port the NodeManager listens on; 0: any free one"),
    STR("creel.nodemanager.host", "", "name other hosts reach this node by; empty: the bind address"),
    STR("creel.nodemanager.rack", "/default-rack", "rack of the node"),
    INT("creel.nodemanager.map-slots", "2", 0, 10000, "map slots of the node"),
    INT("creel.nodemanager.reduce-slots", "1", 0, 10000, "reduce slots of the node"),
    STR("creel.nodemanager.local-dir", "/var/lib/creel/nm", "folder of containers, their logs and map outputs"),
    STR("creel.nodemanager.isolation", "none", "what encloses the processes of a container; none: only the process tree below its shim"),
    BOOL("creel.nodemanager.insecure", "false", "allow an address other than loopback, though users are not authenticated"),
    INT("creel.nodemanager.min-free-disk-mb", "100", 0, INT32_MAX, "below it the node calls itself unhealthy, below twice as much logs of ended applications are removed before their time; 0: never"),
    INT("creel.nodemanager.min-free-inodes", "10000", 0, INT32_MAX, "the same for inodes, where the file system has a fixed number"),
    INT("creel.nodemanager.log-max-bytes", "268435456", 1, INT64_MAX, "largest log file of a container (K, M, G allowed)"),
    INT("creel.nodemanager.kill-grace-ms", "250", 0, MS_MAX, "time between SIGTERM and SIGKILL"),
    INT("creel.nodemanager.log-retain-s", "86400", 0, INT32_MAX, "time logs of an ended application are kept"),
    INT("creel.nodemanager.watchdog-ms", "20000", 0, MS_MAX, "a NodeManager whose main thread stands still for longer ends itself, to be started again (at least 2000); 0: never"),

    {.name = NULL},
};
/* clang-format on */
