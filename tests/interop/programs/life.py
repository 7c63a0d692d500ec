"""The two clusters on which real programs are tried, Creel and a real YARN, and the life that both
lead. They listen on YARN's own ports, which programs expect: the caller sees to a network namespace
in which these are free."""
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
INTEROP = os.path.dirname(HERE)
sys.path.insert(0, INTEROP)
from cluster import ENDED, Cluster, until  # noqa: E402

PEER = os.path.join(INTEROP, "peer", "peer")
QUEUES = os.path.join(INTEROP, "yarn", "conf", "capacity-scheduler.xml")
RM = "http://127.0.0.1:8088"
WORKER = "echo hello world; sleep 1500"
MASTER_MB = 1024  # a slot of Creel's, and the least that YARN gives
COMMON = {
    "yarn.node-labels.enabled": "true",
    "yarn.scheduler.configuration.store.class": "memory",
    "yarn.cluster.max-application-priority": "10",
    "yarn.scheduler.minimum-allocation-mb": "1024",
    "yarn.am.liveness-monitor.expiry-interval-ms": "3600000",
}
YARN = {
    "yarn.resourcemanager.webapp.address": "127.0.0.1:8088",
    "yarn.resourcemanager.address": "127.0.0.1:8032",
    "yarn.resourcemanager.scheduler.address": "127.0.0.1:8030",
    "yarn.resourcemanager.resource-tracker.address": "127.0.0.1:8031",
    "yarn.resourcemanager.admin.address": "127.0.0.1:8033",
    "hadoop.prometheus.endpoint.enabled": "true",
}
SHELL = "org.apache.hadoop.yarn.applications.distributedshell.Client"


class Creel(Cluster):
    name = "creel"

    def __init__(self, folder):
        more = {
            "creel.yarn.scheduler-shape": "capacity",
            "creel.scheduler.capacity-file": QUEUES,
            "hadoop.prometheus.endpoint.enabled": "true",
            "yarn.resourcemanager.hostname": "localhost",
        }
        super().__init__(folder, {**COMMON, **more}, ports=(8088, 8042))


class Yarn(Cluster):
    """A real YARN, asked in the same ways. The second NM's pages are on port 8052."""

    name = "yarn"

    def __init__(self, folder, lib):
        super().__init__(folder, {})
        self.lib = os.path.abspath(lib)
        self.env = {
            **os.environ,
            "HADOOP_USER_NAME": "hadoop",
            "PORT": "8030",  # NMs: 8040 to 8042 and 8050 to 8052
            "RM_OPTS": "-Xmx1g -Duser.name=hadoop",
            "NM_OPTS": "-Xmx400m -Duser.name=hadoop",
            "CONF_FROM": self.path("conf-from"),
        }

    def start(self, nodes):
        os.makedirs(self.path("conf-from"))
        shutil.copy(QUEUES, self.path("conf-from"))
        labels = "file://" + self.path("labels")
        site = {**COMMON, **YARN, "yarn.node-labels.fs-store.root-dir": labels}
        self.peer("start", self.folder, self.lib, "capacity", str(nodes), site=site)
        self.rm = RM
        self.nms = [f"http://127.0.0.1:{8042 + 10 * i}" for i in range(nodes)]
        until("the nodes", lambda: self.metrics().get("activeNodes") == nodes, 180)

    def stop(self):
        for process in self.started:
            process.kill()
            process.wait()
        if os.path.exists(self.path("pids")):
            self.peer("stop", self.folder)
        super().stop()

    def peer(self, *args, site=None):
        keys = [f"{key}={value}" for key, value in (site or {}).items()]
        subprocess.run(
            [PEER, *args, *keys],
            env=self.env,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            check=True,
        )

    def shell(self, name, command, containers=1, **_):
        """Hadoop's own distributed shell; returns its application id once the RM knows it."""
        jar = [x for x in os.listdir(self.lib) if x.startswith("hadoop-yarn-applications-distrib")]
        args = [PEER, "java", self.folder, self.lib, SHELL, "-jar", os.path.join(self.lib, jar[0])]
        args += ["-shell_command", command, "-appname", name, "-num_containers", str(containers)]
        args += ["-master_memory", str(MASTER_MB), "-container_memory", "1024"]
        with open(self.path("log", name + ".log"), "w", encoding="utf-8") as log:
            process = subprocess.Popen(
                args,
                env=self.env,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.started.append(process)

        def known():
            apps = (self.get("/ws/v1/cluster/apps").get("apps") or {}).get("app") or []
            return [app["id"] for app in apps if app["name"] == name]

        found = until(name, known, 120)
        return found[0] if found else sys.exit(f"the distributed shell {name} did not start")


def live(c):
    """One application in each state. Returns (name, id) pairs, as the programs get them."""
    like_hadoops_client = {"memory": MASTER_MB, "priority": 0}
    finished = c.shell("succeeds", "true", **like_hadoops_client)
    c.wait_state(finished, *ENDED, seconds=120)
    master = {"memory": MASTER_MB, "application-type": "YARN"}
    failed = c.submit("fails", "exit 3", **master)
    c.wait_state(failed, *ENDED, seconds=60)
    killed = c.submit("killed", "sleep 1500", **master)
    c.wait_state(killed, "RUNNING", "ACCEPTED", seconds=60)
    until("its container", lambda: c.containers(killed), 60)
    c.kill(killed)
    c.wait_state(killed, *ENDED, seconds=60)
    running = c.shell("shell", WORKER, 2, **like_hadoops_client)
    until("workers", lambda: c.app(running).get("runningContainers") == 3, 120)
    waiting = {"unmanaged-AM": True, "application-tags": {"tag": ["blue"]}, **master}
    accepted = c.submit("waiting", "sleep 60", **waiting)
    c.wait_state(accepted, "ACCEPTED")
    c.wait_settled()
    attempt = c.attempt(running)
    workers = [x for x in c.containers(running) if x["containerId"] != attempt["containerId"]]
    # the node with two of the three containers: so it is the same on both clusters
    nodes = [x["nodeId"] for x in c.containers(running)]
    workers.sort(key=lambda x: (nodes.count(x["nodeId"]) != 2, x["containerId"]))
    address = workers[0]["nodeHttpAddress"].removeprefix("http://")
    c.worker_node = address.replace("localhost", "127.0.0.1")
    return [
        ("running", running),
        ("accepted", accepted),
        ("finished", finished),
        ("failed", failed),
        ("killed", killed),
        ("container", workers[0]["containerId"]),
        ("attempt", attempt["appAttemptId"]),
        ("master", attempt["containerId"]),
        ("node", workers[0]["nodeId"]),
    ]


def settle():
    """Lets a second go by, so that what YARN sums up each second (metrics, memory seconds) is of
    the state that both clusters are in."""
    time.sleep(2)
