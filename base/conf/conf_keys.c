/* base/conf/conf_keys.c - all configuration keys with their defaults and help texts, grouped by
 * subject. A key that exists in Hadoop too has Hadoop's name. */
#include "base/conf/conf.h"

#define STR(key, def, text)                                                                        \
    {                                                                                              \
        .name = key, .type = BASE_CONF_STRING, .value = def, .help = text                          \
    }
#define INT(key, def, lo, hi, text)                                                                \
    {                                                                                              \
        .name = key, .type = BASE_CONF_INT, .value = def, .min = lo, .max = hi, .help = text       \
    }
#define BOOL(key, def, text)                                                                       \
    {                                                                                              \
        .name = key, .type = BASE_CONF_BOOL, .value = def, .help = text                            \
    }
#define DBL(key, def, text)                                                                        \
    {                                                                                              \
        .name = key, .type = BASE_CONF_DOUBLE, .value = def, .help = text                          \
    }

#define MS_MAX INT32_MAX /* about 24 days */

/* clang-format off */
const struct base_conf_key base_conf_keys[] = {
    /* the cluster */
    STR("creel.cluster.name", "", "name of the cluster, reported to its nodes"),
    STR("creel.cluster.secret-file", "",
        "file with the secret by which the daemons of the cluster know each other: one or two "
        "lines of 64 hex digits, of which the first signs and both are accepted; readable by "
        "the daemons' user alone (creel secret --new makes one). Default, for a daemon that "
        "listens on a loopback address only: creel/cluster.secret below $XDG_STATE_HOME or "
        "~/.local/state, made by the first daemon that needs it"),
    INT("creel.cluster.max-skew-ms", "300000", 1000, 86400000,
        "how far the clocks of two daemons may differ: a signed request that is older or newer "
        "is refused"),
    STR("creel.auth", "token",
        "how users prove who they are: token (a bearer token of the ResourceManager; see creel "
        "token), spnego (a Kerberos ticket, or a token), or simple (they name themselves, by "
        "user.name or a signed cookie, as in YARN without Kerberos; on loopback addresses alone, "
        "unless --insecure is given)"),
    STR("creel.auth.token-file", "",
        "unless simple: file to which the ResourceManager writes a token of its own user, an "
        "administrator, at each start (0600; beside it the same as a header for curl, .header in "
        "place of .token); default: $XDG_STATE_HOME/creel/rm.token or "
        "~/.local/state/creel/rm.token"),
    STR("yarn.resourcemanager.webapp.spnego-principal", "",
        "with spnego: the ResourceManager's principal, HTTP/_HOST@REALM; _HOST is replaced by "
        "yarn.resourcemanager.hostname, or else by the full name of this host"),
    STR("yarn.resourcemanager.webapp.spnego-keytab-file", "",
        "with spnego: file with the key of that principal; refused when others than the daemon's "
        "user may read it; read again for each ticket"),
    STR("yarn.nodemanager.webapp.spnego-principal", "",
        "with spnego: the NodeManager's principal; _HOST is replaced by creel.nodemanager.host, or "
        "else by the full name of this host"),
    STR("yarn.nodemanager.webapp.spnego-keytab-file", "",
        "with spnego: file with the key of that principal"),
    STR("hadoop.security.auth_to_local", "DEFAULT",
        "with spnego: rules by which Kerberos principals are users, separated by blanks, as in "
        "Hadoop; DEFAULT: the first part of principals of the default realm. Regular expressions "
        "are POSIX's; one that means something else in Java is refused"),
    STR("hadoop.security.auth_to_local.mechanism", "hadoop",
        "how these rules are read: hadoop; mit is not offered"),
    STR("yarn.resourcemanager.cluster-id", "",
        "id of the cluster, shared by all its ResourceManagers"),
    STR("hadoop.http.staticuser.user", "dr.who", "user of HTTP requests that name no user"),

    /* TLS */
    STR("yarn.http.policy", "HTTP_ONLY",
        "HTTP_ONLY: the daemons speak plain HTTP; HTTPS_ONLY: they speak TLS (1.2 or 1.3) only, at "
        "all their ports. HTTP_AND_HTTPS is not served"),
    STR("creel.tls.certificate-file", "",
        "certificate of this host in PEM, followed by those between it and the authority if there "
        "are any; read again on SIGHUP, which cuts no connection"),
    STR("creel.tls.key-file", "",
        "private key of that certificate in PEM; refused when others than the daemon's user and "
        "root may read it"),
    STR("creel.tls.ca-file", "",
        "certificates of the authorities, in PEM, by which daemons and commands recognise the "
        "daemons of the cluster; empty: the authorities of the system"),
    STR("creel.tls.client-auth", "none",
        "daemons: requests of NodeManagers are accepted only over a connection whose client has "
        "shown a certificate signed by creel.tls.ca-file, which must sign hosts of the cluster "
        "alone, and daemons show theirs to each other; none: only servers show one"),

    /* HTTP, for ResourceManager and NodeManager alike */
    STR("creel.http.allowed-hosts", "",
        "further names under which clients and nodes may address the daemon, separated by "
        "commas (\".example.org\": all names below it). Requests for a name other than an "
        "address, localhost, a name of the host or one in the configuration are refused"),
    INT("creel.http.connections", "10000", 16, 1000000,
        "largest number of connections to one daemon, those of Hadoop RPC included"),
    INT("creel.http.connections-per-address", "2500", 0, 1000000,
        "largest number of connections from one address (IPv6: one /64 network), those of Hadoop "
        "RPC included, not counting nodes that have signed with the cluster's secret; beyond it "
        "the oldest connection that has sent no request is closed, or the new one if there is "
        "none; 0: no limit"),
    INT("creel.http.connections-for-nodes", "1000", 0, 1000000,
        "number of connections reserved for nodes and their addresses"),
    INT("creel.http.header-timeout-ms", "30000", 100, MS_MAX,
        "time for the head of a request to arrive"),
    INT("creel.http.body-min-rate", "4096", 0, INT32_MAX,
        "lowest rate of a request body, in bytes a second over any 10 s; 0: none"),
    INT("creel.http.answer-min-rate", "4096", 0, INT32_MAX,
        "lowest rate at which a client takes an answer, in bytes a second over any 10 s while some "
        "of the answer waits for the client; slower connections are closed; 0: none"),
    INT("creel.http.requests-per-address", "2000", 0, 1000000,
        "largest number of requests a second from one address (IPv6: one /64 network), except "
        "loopback addresses and nodes that have signed with the cluster's secret; more get 429, "
        "over Hadoop RPC RetriableException; 0: no limit"),
    INT("creel.http.requests-per-user", "2000", 0, 1000000,
        "largest number of requests a second of one user who gives a name, except over Hadoop RPC "
        "at the ports for nodes and for administration; more get 429, over Hadoop RPC "
        "RetriableException; 0: no limit"),
    INT("creel.http.body-memory-mb", "256", 32, 1048576,
        "memory for all request bodies until they are answered, and for long lists until they "
        "are sent. One address gets at most half of it, a quarter is reserved for nodes; beyond "
        "it requests get 503"),
    BOOL("creel.http.jmx-any-origin", "false",
         "allow pages of every web site to read /jmx (Access-Control-Allow-Origin: *), as YARN "
         "does"),

    /* Hadoop RPC */
    STR("yarn.resourcemanager.address", "",
        "address (HOST:PORT) at which Hadoop's clients, such as the command yarn, talk to the "
        "ResourceManager over Hadoop RPC; YARN's port is 8032. With .RM-ID at its end, that of one "
        "of several ResourceManagers. Unless creel.auth is simple, clients show a token (creel "
        "token --hadoop-file). Empty: no such port"),
    STR("yarn.resourcemanager.admin.address", "",
        "the same for yarn rmadmin; YARN's port is 8033. Callers name themselves there, since the "
        "protocol has no place for a token (creel.rpc.admin.hosts)"),
    STR("yarn.resourcemanager.scheduler.address", "",
        "address at which ApplicationMasters that speak Hadoop RPC register and ask for "
        "containers; YARN's port is 8030. They show the token that the ResourceManager has put "
        "into their credentials, whatever creel.auth says"),
    STR("yarn.resourcemanager.resource-tracker.address", "",
        "address at which NodeManagers of Hadoop register; YARN's port is 8031. They run "
        "containers of masters that speak Hadoop RPC. Empty: no such port"),
    STR("creel.rpc.tracker.hosts", "",
        "IP addresses, separated by commas, that may register NodeManagers of Hadoop, which show "
        "no proof and receive keys; empty: that port is only opened on a loopback address, with "
        "creel.auth = simple"),
    STR("creel.rpc.admin.hosts", "",
        "IP addresses, separated by commas, whose users may name themselves at "
        "yarn.resourcemanager.admin.address; empty: that port is only opened on a loopback "
        "address, with creel.auth = simple"),
    DBL("creel.rpc.reduce-share", "0.33",
        "share of reduce slots, 0 to 1, among those of a NodeManager of Hadoop, which has as many "
        "slots as fit into its memory (with creel.slot.by = memory,vcores also its vcores)"),
    INT("yarn.client.nodemanager-connect.max-wait-ms", "180000", 0, MS_MAX,
        "how long the ResourceManager tries to reach a NodeManager of Hadoop that is to start a "
        "master; then the attempt has failed"),
    INT("yarn.client.nodemanager-connect.retry-interval-ms", "10000", 100, MS_MAX,
        "time between these tries"),
    STR("yarn.resourcemanager.bind-host", "",
        "host at which these four ports listen, in place of that of their addresses; empty: that "
        "of the addresses"),
    STR("yarn.nodemanager.address", "",
        "address (HOST:PORT) at which masters that speak Hadoop RPC start containers on the node; "
        "port 0: any free one. They show tokens of the ResourceManager, to which they talk at "
        "yarn.resourcemanager.scheduler.address. Empty: no such port"),
    INT("creel.rpc.connections", "10000", 16, 1000000,
        "largest number of connections of Hadoop RPC, among creel.http.connections; further ones "
        "are closed at once"),
    INT("creel.rpc.memory-mb", "256", 16, 1048576,
        "memory for requests of Hadoop RPC that are arriving or wait, and for answers that are "
        "being made or that clients have not taken; beyond it connections are closed, and calls "
        "answered that the client should come again"),
    INT("ipc.maximum.data.length", "67108864", 1024, INT32_MAX,
        "largest request of Hadoop RPC, in bytes; a connection with a larger one is closed, and so "
        "is one with a frame that is larger than any call of the port takes"),

    BOOL("hadoop.http.authentication.simple.anonymous.allowed", "true",
         "false: requests that name no user, by user.name or a cookie, are refused (401)"),
    STR("hadoop.http.authentication.signature.secret.file", "",
        "file with the secret that signs the cookie hadoop.auth, to be shared by all daemons that "
        "should accept each other's (with Kerberos, of one kind: ResourceManagers accept no "
        "NodeManager's), and sessions of browsers (/login), which several ResourceManagers should "
        "share; 16 to 4096 bytes and mode 0600, unless creel.auth is simple; empty: a random one "
        "for each start"),
    INT("hadoop.http.authentication.token.validity", "36000", 1, INT32_MAX,
        "validity of the cookie hadoop.auth and of sessions of browsers, in seconds"),
    STR("hadoop.http.authentication.cookie.domain", "",
        "domain of these cookies, such as that of all hosts of the cluster; empty: the host that "
        "has set them"),
    STR("hadoop.http.filter.initializers", "",
        "as in YARN, a list that lacks AuthenticationFilterInitializer makes user.name be ignored; "
        "everybody is hadoop.http.staticuser.user then. Users who may act for others (doAs) are "
        "set by hadoop.proxyuser.USER.users, .groups and .hosts"),
    INT("hadoop.security.groups.cache.secs", "300", 1, 1000000,
        "how long the groups of a user are remembered, in seconds"),
    INT("hadoop.security.groups.negative-cache.secs", "30", 1, 1000000,
        "how long it is remembered that a user has no groups, in seconds"),
    BOOL("hadoop.security.authorization", "false",
         "show /logs and /logLevel to administrators (yarn.admin.acl) alone"),
    BOOL("hadoop.security.instrumentation.requires.admin", "false",
         "show /conf, /jmx, /stacks and /prof to administrators alone, if "
         "hadoop.security.authorization is true"),
    BOOL("yarn.acl.enable", "false",
         "check who may see, change and submit applications: their owners, those that an "
         "application names (application-acls), those that queues name, and administrators. Not "
         "set: true unless creel.auth is simple. Unless it is simple, the root queue has no "
         "administrators by default, either"),
    BOOL("yarn.webapp.filter-entity-list-by-user", "false",
         "lists of applications and containers leave out what the caller may not see, instead of "
         "showing a part of it"),
    STR("yarn.admin.acl", "*",
        "administrators: users, separated by commas, and after a blank groups; *: everybody; a "
        "blank: nobody. The user of a daemon always is one. Labels and creel rmadmin ask for them "
        "even while ACLs are not checked otherwise. Not set: nobody else unless creel.auth is "
        "simple"),
    BOOL("yarn.resourcemanager.webapp.cross-origin.enabled", "false",
         "allow pages of other sites to read the ResourceManager's answers"),
    BOOL("yarn.nodemanager.webapp.cross-origin.enabled", "false",
         "allow pages of other sites to read the NodeManager's answers"),
    STR("hadoop.http.cross-origin.allowed-origins", "*",
        "which sites, if so: their origins, patterns with *, or regex: and a regular expression. "
        "What lets any site in, as * does, is for reading: changes are then taken from a page only "
        "if its browser has asked first; sites that are named may send any request"),
    STR("hadoop.http.cross-origin.allowed-methods", "GET,POST,HEAD",
        "methods that browsers may use for these sites"),
    STR("hadoop.http.cross-origin.allowed-headers", "X-Requested-With,Content-Type,Accept,Origin",
        "headers that they may send"),
    INT("hadoop.http.cross-origin.max-age", "1800", 0, INT32_MAX,
        "how long browsers may remember this, in seconds"),
    BOOL("hadoop.prometheus.endpoint.enabled", "false",
         "serve YARN's metrics at /prom; Creel's own are always at /metrics"),
    STR("hadoop.log.dir", "",
        "folder with the daemon's own log files, which /logs shows to everybody; empty: none"),
    STR("hadoop.security.sensitive-config-keys", "",
        "regular expressions, separated by commas: /conf hides the values of keys that one of them "
        "matches, besides secrets and passwords"),

    /* ResourceManager */
    STR("creel.rm.bind", "127.0.0.1", "address that the ResourceManager listens on"),
    BOOL("creel.proxy.sandbox", "false",
         "shut in the pages of masters at /proxy: their scripts cannot use the ResourceManager in "
         "the name of who looks at them, nor load data from the master itself, as Spark's page of "
         "executors does. Not set: true unless creel.auth is simple"),
    STR("yarn.resourcemanager.hostname", "",
        "name of the ResourceManager's host in links to a ResourceManager that is alone; empty: "
        "the address that it listens on"),
    INT("creel.rm.port", "8088", 0, 65535,
        "port that the ResourceManager listens on; 0: any free one; when not set, and with "
        "yarn.http.policy HTTPS_ONLY: 8090"),
    STR("creel.rm.state-dir", "/var/lib/creel/rm", "folder for the state of the ResourceManager"),
    STR("creel.rm.state-store", "",
        "kind of the state store: sqlite, or memory, which forgets everything when the process "
        "ends; with several ResourceManagers: zookeeper; default: the first that fits"),
    STR("creel.rm.audit-log", "",
        "file for the audit lines (who did what, from where, with which result), in addition to "
        "the log, where their area is \"audit\"; reopened on SIGHUP"),
    STR("creel.nodemanager.audit-log", "",
        "the same of a NodeManager: starts and ends of containers, changes, and refusals"),
    BOOL("creel.rm.insecure", "false",
         "allow an address other than loopback although callers only name themselves (creel.auth)"),
    INT("creel.rm.http-threads", "0", 0, 1024,
        "number of threads that answer HTTP; 0: chosen by the number of cores"),
    INT("creel.rm.input-timeout-ms", "20000", 100, MS_MAX,
        "time to find the input files of a submission"),
    INT("creel.rm.log-token-lifetime-s", "300", 1, 3600,
        "how long a token is valid by which a user reads the logs of one application at nodes"),
    INT("creel.rm.takeover-grace-ms", "5000", 0, MS_MAX,
        "after a failover, hold the tasks of recovered jobs this long for missing nodes; 0: "
        "hold those that had started until their nodes are lost"),
    INT("yarn.resourcemanager.max-completed-applications", "1000", 0, 1000000,
        "number of ended applications to keep"),
    INT("creel.rm.max-apps-per-queue", "10000", 0, INT32_MAX,
        "largest number of applications of one queue that have not ended; further submissions are "
        "refused (403); 0: no limit"),
    INT("creel.rm.max-apps-per-user", "5000", 0, INT32_MAX,
        "largest number of applications of one user that have not ended; further submissions are "
        "refused (403); 0: no limit"),
    INT("creel.rm.max-completed-mb", "512", 1, 1000000,
        "approximate memory for ended applications; beyond it the oldest jobs lose their tasks, "
        "then the oldest applications are dropped"),
    INT("creel.rm.history-max-mb", "1024", 1, 1000000,
        "with several ResourceManagers: size of the local file of ended jobs; the oldest are "
        "dropped first"),
    INT("yarn.resourcemanager.am.max-attempts", "2", 1, 1000, "attempts of an ApplicationMaster"),
    INT("yarn.cluster.max-application-priority", "0", 0, INT32_MAX,
        "highest priority of an application submitted over YARN's REST API, or set later; a higher "
        "one is cut to it"),
    INT("yarn.am.liveness-monitor.expiry-interval-ms", "600000", 1, MS_MAX,
        "silence after which an ApplicationMaster is lost"),
    INT("yarn.resourcemanager.am-rm-tokens.master-key-rolling-interval-secs", "86400", 1, INT32_MAX,
        "how often the key of the tokens is replaced with which masters prove themselves over "
        "Hadoop RPC; more than 3 times yarn.am.liveness-monitor.expiry-interval-ms"),
    INT("yarn.resourcemanager.nm-tokens.master-key-rolling-interval-secs", "86400", 1, INT32_MAX,
        "the same for masters' tokens for nodes; more than 3 times "
        "yarn.nm.liveness-monitor.expiry-interval-ms"),
    INT("yarn.resourcemanager.container-tokens.master-key-rolling-interval-secs", "86400", 1,
        INT32_MAX,
        "the same for tokens of containers; more than 3 times "
        "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms"),
    INT("yarn.nm.liveness-monitor.expiry-interval-ms", "30000", 1, MS_MAX,
        "silence after which a node is lost"),
    STR("yarn.resourcemanager.nodes.include-path", "",
        "file with the hosts that may have nodes; empty: all may"),
    STR("yarn.resourcemanager.nodes.exclude-path", "",
        "file with the hosts that may not have nodes. Both files are read at the start, when a "
        "ResourceManager becomes active, and by creel rmadmin -refreshNodes"),
    INT("yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs", "3600", -1,
        INT32_MAX,
        "time for which a graceful decommissioning waits for a node's applications; -1: no limit"),
    BOOL("yarn.node-labels.enabled", "false",
         "let operators label nodes, so that requests with a label go to those nodes alone"),
    INT("creel.rm.activities-wait-ms", "8000", 1, MS_MAX,
        "how long scheduler/bulk-activities waits for the rounds asked for; then it answers with "
        "those that there were"),
    INT("creel.rm.forget-nodes-ms", "86400000", 0, MS_MAX,
        "time after which a lost or stopped node is forgotten, counted from the end of the last "
        "application that used it if that is later; 0: never"),
    INT("creel.rm.max-gone-nodes", "10000", 0, 1000000,
        "number of lost and stopped nodes to keep; the longest gone are forgotten first; 0: all"),
    INT("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "1000", 1, MS_MAX,
        "time between heartbeats of a node"),
    INT("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "600000", 1, MS_MAX,
        "time for an allocated container to be started"),

    /* several ResourceManagers */
    BOOL("yarn.resourcemanager.ha.enabled", "false",
         "this is one of several ResourceManagers, of which one is active; same as --ha"),
    STR("yarn.resourcemanager.ha.rm-ids", "",
        "ids of the ResourceManagers, separated by commas; the address of each is "
        "yarn.resourcemanager.webapp.address.<id> (host:port), or port 8088 of "
        "yarn.resourcemanager.hostname.<id>; with yarn.http.policy HTTPS_ONLY "
        "yarn.resourcemanager.webapp.https.address.<id>, or port 8090"),
    STR("yarn.resourcemanager.ha.id", "",
        "id of this ResourceManager; default: the one whose address has its port"),
    STR("yarn.resourcemanager.zk-address", "", "ZooKeeper servers: host:port, separated by commas"),
    STR("hadoop.zk.address", "", "used when yarn.resourcemanager.zk-address is not set"),
    INT("yarn.resourcemanager.zk-timeout-ms", "10000", 100, 3600000,
        "time-out of the session with ZooKeeper: an active ResourceManager that is silent for "
        "this long is replaced"),
    STR("hadoop.zk.auth", "",
        "digest:user:password that protects the state in ZooKeeper, or @FILE that holds it; "
        "default: user creel, password the first line of creel.zk.secret-file"),
    STR("creel.zk.secret-file", "",
        "file with the secret that protects the state in ZooKeeper, of the same form as "
        "creel.cluster.secret-file; default: zookeeper.secret in the folder of the latter"),
    STR("creel.ha.zk-root", "",
        "node in ZooKeeper that holds the state; default: /creel/<cluster-id>"),

    /* scheduler */
    STR("creel.scheduler.policy", "fifo",
        "scheduling policy: fifo, fair, hfsp, hsrtf-pr, rtmr, ...; the class names of Hadoop's "
        "FifoScheduler and FairScheduler are accepted too"),
    STR("yarn.resourcemanager.scheduler.class", "",
        "used when creel.scheduler.policy is not set: Hadoop's FifoScheduler or FairScheduler; "
        "others are ignored"),
    STR("yarn.scheduler.fair.allocation.file", "",
        "queues, in the form of Hadoop's Fair Scheduler; read again when it changes; default: "
        "fair-scheduler.xml in the configuration folder, if it exists"),
    BOOL("yarn.scheduler.fair.preemption", "false", "same as creel.fair.preemption"),
    BOOL("yarn.scheduler.fair.sizebasedweight", "false", "same as creel.fair.size_weight"),
    BOOL("yarn.scheduler.fair.user-as-default-queue", "true",
         "for allocation files without placement rules: a job that names no queue goes to one "
         "named after its user"),
    BOOL("yarn.scheduler.fair.allow-undeclared-pools", "true",
         "for allocation files without placement rules: create on demand the queues that the "
         "file does not declare"),
    INT("yarn.scheduler.fair.locality-delay-node-ms", "-1", -1, MS_MAX,
        "alias of creel.delay.w1, in milliseconds; -1: not set"),
    INT("yarn.scheduler.fair.locality-delay-rack-ms", "-1", -1, MS_MAX,
        "alias of creel.delay.w2, in milliseconds; -1: not set"),
    STR("creel.scheduler.queues", "",
        "names of the queues in addition to \"default\", separated by commas"),
    STR("creel.scheduler.capacity-file", "",
        "queues, in the form of Hadoop's Capacity Scheduler, where they are shown as that one's "
        "(creel.yarn.scheduler-shape) and there is no allocation file; default: "
        "capacity-scheduler.xml in the configuration folder, if it exists"),
    STR("yarn.scheduler.configuration.store.class", "file",
        "file: the queues are those of capacity-scheduler.xml or creel.scheduler.queues; memory, "
        "leveldb, zk, fs or any other value: clients may change them, and the state store keeps "
        "them"),
    BOOL("yarn.resourcemanager.reservation-system.enable", "false",
         "take reservations for the queues that yarn.scheduler.capacity.PATH.reservable names, "
         "here or in the file of creel.scheduler.capacity-file, while the policy (rtmr) can "
         "promise slots"),
    INT("creel.scheduler.locality-delay-ms", "-1", -1, MS_MAX,
        "alias of creel.delay.w1 and creel.delay.w2 together, in milliseconds; -1: not set"),
    DBL("creel.scheduler.slowstart", "0.05",
        "share of a job's maps that must have ended before its reduces start, 0 to 1"),
    INT("creel.rtmr.offer-margin-ms", "5000", 0, 3600000,
        "a job refused for its deadline is offered the earliest date that could be promised, "
        "plus this margin, in whole seconds"),

    /* slots and jobs */
    INT("creel.slot.map.memory-mb", "2048", 1, INT32_MAX, "memory of a map slot"),
    INT("creel.slot.map.vcores", "1", 1, INT32_MAX, "virtual cores of a map slot"),
    INT("creel.slot.reduce.memory-mb", "2048", 1, INT32_MAX, "memory of a reduce slot"),
    INT("creel.slot.reduce.vcores", "1", 1, INT32_MAX, "virtual cores of a reduce slot"),
    STR("creel.slot.by", "memory",
        "how many slots a container takes, on one node: as many as its memory needs (memory), or "
        "its memory and its virtual cores (memory,vcores)"),
    BOOL("mapreduce.cluster.acls.enabled", "false",
         "show the access lists of jobs in the answers of MapReduce; they are checked while "
         "yarn.acl.enable is true"),
    STR("mapreduce.jobhistory.webapp.address", "",
        "address (host:port, in Hadoop port 19888) at which the ResourceManager serves the job "
        "history too, for tools that look for Hadoop's history server; several ResourceManagers "
        "that share this file: 0.0.0.0:port; empty: only below /ws/v1/history at its own address"),
    STR("mapreduce.jobhistory.webapp.https.address", "",
        "the same with yarn.http.policy HTTPS_ONLY (in Hadoop port 19890)"),
    STR("creel.yarn.hadoop-version", "3.4.2",
        "Hadoop version reported in YARN's answers, which Hadoop's tools branch on"),
    STR("creel.yarn.scheduler-shape", "capacity",
        "which of YARN's schedulers the queues are shown as in YARN's answers, whatever the "
        "policy: capacity, as a stock YARN shows them and some tools expect, fair or fifo (which "
        "accepts applications of every queue name)"),
    BOOL("yarn.scheduler.capacity.user-metrics.enable", "false",
         "show figures of each user in each queue at /jmx and /prom in this shape, too; in that of "
         "fair they always are"),
    BOOL("creel.yarn.show-slots", "false", "show slots as resource types in YARN's answers"),
    INT("creel.mapreduce.split-size", "134217728", 1, INT64_MAX,
        "largest input split, in bytes (K, M, G allowed)"),
    INT("creel.mapreduce.sort-buffer-mb", "64", 1, 65536,
        "largest buffer in which a task sorts before it spills to disk"),
    INT("creel.mapreduce.max-attempts", "4", 1, 100,
        "attempts of a task, or of the setup, commit or abort of a job, before its job fails"),
    INT("creel.job.step-timeout-ms", "600000", 1000, MS_MAX,
        "time for one attempt of the setup, commit or abort of a job; then it is killed, and "
        "another node tries"),

    /* NodeManager */
    STR("creel.nodemanager.rm", "http://127.0.0.1:8088",
        "address of the ResourceManager, or several separated by commas; redirects to any other "
        "address are not followed. When not set, and with yarn.http.policy HTTPS_ONLY: "
        "https://127.0.0.1:8090; addresses without a scheme have that of the policy"),
    STR("creel.nodemanager.bind", "127.0.0.1", "address that the NodeManager listens on"),
    INT("creel.nodemanager.port", "8042", 0, 65535,
        "port that the NodeManager listens on; 0: any free one; when not set, and with "
        "yarn.http.policy HTTPS_ONLY: 8044"),
    STR("creel.nodemanager.host", "",
        "name under which other hosts reach this node; empty: the bind address, or the host's "
        "name if that is 0.0.0.0 or ::"),
    STR("creel.nodemanager.rack", "/default-rack", "rack of the node"),
    INT("creel.nodemanager.map-slots", "2", 0, 10000, "map slots of the node"),
    INT("creel.nodemanager.reduce-slots", "1", 0, 10000, "reduce slots of the node"),
    INT("creel.nodemanager.master-slots", "0", 0, 10000,
        "slots of the node for masters of applications alone, of the size of map slots; while a "
        "node has any, masters take no map slots"),
    STR("creel.nodemanager.local-dir", "/var/lib/creel/nm",
        "folder for containers, their logs and map outputs"),
    STR("creel.nodemanager.isolation", "none",
        "what encloses the processes of a container; none: only the process tree below its shim; "
        "cgroup: also a control group (v1 or v2, whichever the host has), with limits"),
    STR("yarn.nodemanager.linux-container-executor.cgroups.hierarchy", "",
        "group below which cgroup makes the groups of containers, in each hierarchy (/creel); "
        "empty: below the group in which the NodeManager was started"),
    BOOL("yarn.nodemanager.resource.memory.enforced", "true",
         "with cgroup, end a container that uses more memory than it was given"),
    BOOL("yarn.nodemanager.linux-container-executor.cgroups.strict-resource-usage", "false",
         "with cgroup, let a container use no more processors than it was given even if others are "
         "idle"),
    INT("creel.nodemanager.cgroup.pids-max", "4096", 0, 4194304,
        "with cgroup, processes and threads that a container may have; 0: no limit"),
    STR("creel.nodemanager.user-launcher", "",
        "creel-exec, the setuid program by which containers run as their users; empty: all run as "
        "the NodeManager's user"),
    INT("creel.container.disk-mb", "0", 0, INT32_MAX,
        "megabytes that a container's folders, its logs included, may have on the node's disk; "
        "with more the container is killed; 0: no limit. The folder that the containers of an "
        "application share (LOCAL_DIRS) does not count"),
    BOOL("creel.nodemanager.insecure", "false",
         "allow an address other than loopback although callers only name themselves (creel.auth)"),
    INT("creel.nodemanager.min-free-disk-mb", "100", 0, INT32_MAX,
        "with less free space the node is unhealthy; with less than twice as much it removes "
        "logs of ended applications early; 0: never"),
    INT("creel.nodemanager.min-free-inodes", "10000", 0, INT32_MAX,
        "likewise for inodes, on file systems that have a fixed number"),
    INT("creel.nodemanager.log-max-bytes", "268435456", 1, INT64_MAX,
        "largest size of a log file of a container (K, M, G allowed)"),
    INT("creel.nodemanager.token-lifetime-ms", "900000", 3000, 43200000,
        "how long a container's token is valid; the node renews it after a third of that while the "
        "container lives"),
    INT("creel.nodemanager.kill-grace-ms", "250", 0, MS_MAX, "time between SIGTERM and SIGKILL"),
    INT("creel.nodemanager.log-retain-s", "86400", 0, INT32_MAX,
        "time for which logs of an ended application are kept"),
    INT("yarn.nodemanager.localizer.cache.target-size-mb", "10240", 0, INT32_MAX,
        "size of the cache of local resources above which those that no container uses are "
        "removed, least recently used first"),
    INT("yarn.nodemanager.localizer.fetch.thread-count", "4", 1, 1000,
        "local resources that are copied at once, each by a process"),
    INT("creel.nodemanager.localizer.max-mb", "10240", 1, INT32_MAX,
        "largest size of a local resource, downloaded and unpacked; a container with a larger one "
        "fails"),
    INT("creel.nodemanager.localizer.timeout-s", "600", 1, 86400,
        "longest time for copying a local resource; a container that waits longer fails"),
    STR("creel.nodemanager.localizer.webhdfs", "",
        "where name nodes speak HTTP, for local resources in HDFS: \"NAME=URL, NAME:PORT=URL\", "
        "with the names of hdfs: URLs and an entry for each name node of a service; "
        "http://NAME:9870 for those that are not in it"),
    INT("yarn.nodemanager.resource-monitor.interval-ms", "3000", 100, MS_MAX,
        "how often the node measures the memory and the processors in use"),
    BOOL("yarn.nodemanager.aux-services.manifest.enabled", "false",
         "show auxiliary services over REST, and let administrators replace their manifest"),
    STR("yarn.nodemanager.aux-services", "",
        "auxiliary services of the node; mapreduce_shuffle serves the map outputs of MapReduce "
        "where yarn.nodemanager.address is set, and there are no others. Empty: none"),
    INT("mapreduce.shuffle.port", "13562", 0, 65535,
        "port at which the node serves map outputs of MapReduce, at the host of "
        "yarn.nodemanager.address; 0: any free one"),
    INT("mapreduce.shuffle.max.connections", "0", 0, 1000000,
        "largest number of connections of reducers; further ones are asked to come again. 0: as "
        "many as the bound on open files allows, at most 10000"),
    INT("mapreduce.shuffle.max.threads", "0", 0, 64,
        "threads that serve map outputs; 0: as many as there are processors, at most 8"),
    BOOL("mapreduce.shuffle.connection-keep-alive.enable", "false",
         "keep connections of reducers open after an answer, also of those that do not ask for it"),
    INT("mapreduce.shuffle.connection-keep-alive.timeout", "5", 1, 3600,
        "seconds for which such a connection is kept while nothing is asked"),
    STR("yarn.nodemanager.aux-services.manifest", "",
        "file with the manifest of auxiliary services at the start; the only service is the "
        "shuffle of MapReduce, which is built in"),
    BOOL("yarn.log-aggregation-enable", "false",
         "aggregate the logs of ended applications: nodes copy them to "
         "yarn.nodemanager.remote-app-log-dir; where that is empty, the logs that nodes keep and "
         "hand out count as aggregated"),
    STR("yarn.nodemanager.remote-app-log-dir", "",
        "folder that the nodes share for aggregated logs, as an absolute path or file:///PATH; the "
        "command yarn logs needs the same; empty: none"),
    STR("yarn.nodemanager.remote-app-log-dir-suffix", "logs",
        "part of the name of the folder with a user's aggregated logs, bucket-SUFFIX-tfile"),
    STR("yarn.nodemanager.log-aggregation.compression-type", "none",
        "compression of aggregated logs: none or gz"),
    INT("yarn.log-aggregation.retain-seconds", "-1", -1, INT32_MAX,
        "time for which aggregated logs are kept, each node removing its own; -1: for ever"),
    INT("yarn.log-aggregation.retain-check-interval-seconds", "-1", -1, INT32_MAX,
        "how often a node looks for aggregated logs to be removed; 0 or -1: a tenth of "
        "yarn.log-aggregation.retain-seconds"),
    STR("yarn.log.server.web-service.url", "",
        "server to which the NodeManager redirects REST requests for logs that it does not have "
        "(http://host:19888/ws/v1/history)"),
    STR("yarn.log.server.url", "",
        "server to which the NodeManager redirects readers of pages with logs that it does not "
        "have (http://host:19888/jobhistory/logs)"),
    INT("creel.nodemanager.watchdog-ms", "20000", 0, MS_MAX,
        "a NodeManager whose main thread hangs for longer ends itself, to be restarted (at "
        "least 2000); 0: never"),

    {.name = NULL},
};
/* clang-format on */
