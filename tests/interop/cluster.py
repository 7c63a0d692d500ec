"""A Creel cluster for the conformance bench: its daemons, requests to it, and the recording of one
phase (tests/interop/yarn/record). Needs CREEL_BIN, the folder of the programs."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from xml.sax.saxutils import escape

HERE = os.path.dirname(os.path.abspath(__file__))
CONF = os.path.join(HERE, "yarn", "conf")
ENDED = ("FINISHED", "FAILED", "KILLED")
# The recorded NodeManagers had 4096 MB and 4 cores each. A container takes one slot here.
SLOTS = {
    "creel.slot.map.memory-mb": 1024,
    "creel.slot.reduce.memory-mb": 1024,
    "creel.nodemanager.map-slots": 3,
    "creel.nodemanager.reduce-slots": 1,
}


def programs():
    """The folder of the built programs; ends the process when it is not given."""
    folder = os.environ.get("CREEL_BIN")
    if not folder or not os.access(os.path.join(folder, "creel-rm"), os.X_OK):
        sys.exit("CREEL_BIN must name the folder of creel-rm and creel-nm")
    return os.path.abspath(folder)


def known_keys():
    """The configuration keys that this creel-rm knows."""
    said = subprocess.run(
        [os.path.join(programs(), "creel-rm"), "--help"], capture_output=True, text=True, check=True
    ).stdout
    return set(re.findall(r"^  ([a-z]+\.[\w.-]+) \(", said, re.M))


def fetch(url, timeout=20):
    """The JSON at @url, or {} when there is none."""
    try:
        with urllib.request.urlopen(url, timeout=timeout) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return {}


def until(what, test, seconds=30):
    """Waits until @test returns something true, and returns that; None when it never does."""
    end = time.monotonic() + seconds
    while not (value := test()):
        if time.monotonic() > end:
            print("gave up waiting for", what, file=sys.stderr)
            return None
        time.sleep(0.05)
    return value


class Cluster:
    """Daemons in one folder; `with` ends them.

    @site: keys of the configuration. @ports: that of the RM and that of the first NM, from which
    those of the others count; 0: free ones."""

    def __init__(self, folder, site, ports=(0, 0)):
        self.bin, self.folder, self.ports = programs(), os.path.abspath(folder), ports
        self.site = {"creel.auth": "simple", **SLOTS, **site}
        self.started = []
        self.reader = ""  # "user.name=NAME" where nobody anonymous may read
        self.rm, self.nms = "", []

    def __enter__(self):
        # a test that is stopped leaves nothing behind
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(os.path.join(self.folder, "log"))
        self.write_site()
        return self

    def __exit__(self, *_):
        self.stop()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write_site(self):
        with open(self.path("creel-site.xml"), "w", encoding="utf-8") as out:
            out.write("<configuration>\n")
            for name, value in self.site.items():
                out.write(
                    f"<property><name>{escape(name)}</name>"
                    f"<value>{escape(str(value))}</value></property>\n"
                )
            out.write("</configuration>\n")

    def daemon(self, program, name, keys, **more):
        """Starts a daemon; returns the function that waits for its URL."""
        url = self.path(name + ".url")
        if os.path.exists(url):
            os.remove(url)
        args = ["setpriv", "--pdeathsig", "KILL", os.path.join(self.bin, program)]
        args += ["--conf=" + self.path("creel-site.xml"), "--url-file=" + url]
        for key, value in keys.items():
            args += ["-D", f"{key}={value}"]
        env = {k: v for k, v in os.environ.items() if not k.startswith("CREEL_")}
        env["XDG_STATE_HOME"] = self.path("state-home")  # the daemons find their secret there
        with open(self.path("log", name + ".log"), "a", encoding="utf-8") as log:
            process = subprocess.Popen(
                args,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=env,
                cwd=self.folder,
                start_new_session=True,
                **more,
            )
        self.started.append(process)

        def read_url():
            if process.poll() is not None:
                with open(self.path("log", name + ".log"), encoding="utf-8") as log:
                    sys.exit(f"{program} ended with {process.returncode}:\n{log.read()[-2000:]}")
            if not os.path.exists(url):
                return None
            with open(url, encoding="utf-8") as text:
                return text.read().strip()

        return lambda: until(name, read_url, 60) or sys.exit(f"{program} does not listen")

    def start_rm(self, name="rm", **keys):
        keys = {"creel.rm.state-dir": self.path(name), **keys}
        keys.setdefault("creel.rm.port", self.ports[0])
        os.makedirs(self.path(name), exist_ok=True)
        self.rm = self.daemon("creel-rm", name, keys)()
        return self.rm

    def start_nms(self, count):
        wait = []
        for i in range(1, count + 1):
            keys = {
                "creel.nodemanager.rm": self.rm,
                "creel.nodemanager.host": "localhost",
                "creel.nodemanager.local-dir": self.path(f"nm{i}"),
                "creel.nodemanager.port": self.ports[1] and self.ports[1] + i - 1,
            }
            os.makedirs(self.path(f"nm{i}"), exist_ok=True)
            wait.append(self.daemon("creel-nm", f"nm{i}", keys))
        self.nms = [url() for url in wait]
        until("the nodes", lambda: self.metrics().get("activeNodes") == count)

    def start(self, nodes):
        """An RM and @nodes NMs, with no state of an earlier start."""
        self.stop()
        for name in os.listdir(self.folder):
            if re.fullmatch(r"rm|nm\d+", name):
                shutil.rmtree(self.path(name))
        self.start_rm()
        until("the RM", lambda: self.get("/ws/v1/cluster/info").get("clusterInfo"))
        if nodes:
            self.start_nms(nodes)

    def containers_left(self):
        """The pids of what runs in containers of this cluster: they carry its private folder."""
        mark = f"={self.folder}/nm".encode()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as environ:
                    if mark in environ.read():
                        yield int(pid)
            except OSError:
                pass  # ended meanwhile, or another user's

    def stop(self):
        """Ends the daemons, the NMs first, and then the containers, which outlive them."""
        for process in reversed(self.started):
            if process.poll() is None:
                process.terminate()
        for process in reversed(self.started):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        while self.started and (left := list(self.containers_left())):
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.02)
        self.started, self.nms = [], []

    # ---- requests
    def get(self, path, base=None):
        """The JSON of the RM, asked as the user `reader` names."""
        path += ("&" if "?" in path else "?") + self.reader if self.reader else ""
        return fetch((base or self.rm) + path)

    def text(self, path):
        """What the first NM says, as text."""
        try:
            with urllib.request.urlopen(self.nms[0] + path, timeout=20) as answer:
                return answer.read().decode(errors="replace")
        except OSError:
            return ""

    def send(self, method, path, body=None):
        """The body of the answer, "" when refused."""
        data = b"" if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.rm + path, data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as e:
            said = e.read().decode(errors="replace")
            print(f"{method} {path}: {e.code} {said[:300]}", file=sys.stderr)
            return ""

    def metrics(self):
        return self.get("/ws/v1/cluster/metrics").get("clusterMetrics") or {}

    def nodes(self):
        """The ids of the RUNNING nodes, in the order in which they were started."""
        nodes = (self.get("/ws/v1/cluster/nodes?states=RUNNING").get("nodes") or {}).get("node")
        by_port = {n["nodeHTTPAddress"].split(":")[-1]: n["id"] for n in nodes or []}
        ports = [url.split(":")[-1] for url in self.nms]
        return [by_port[p] for p in ports if p in by_port]

    def app(self, app_id):
        return self.get(f"/ws/v1/cluster/apps/{app_id}").get("app") or {}

    def attempt(self, app_id):
        attempts = self.get(f"/ws/v1/cluster/apps/{app_id}/appattempts").get("appAttempts") or {}
        return (attempts.get("appAttempt") or [{}])[0]

    def wait_maps(self, job_id, maps):
        """Waits until @maps maps of a job of Creel's run, and nothing else of it does."""

        def runs_maps_alone():
            counts = self.get(f"/ws/v1/cluster/jobs/{job_id}")["job"]["taskCounts"]["map"]
            containers = self.app(job_id).get("runningContainers")
            return counts["running"] == maps and containers == maps

        until(f"{maps} maps of {job_id}", runs_maps_alone)

    def containers(self, app_id):
        attempt = self.attempt(app_id).get("appAttemptId", "none")
        path = f"/ws/v1/cluster/apps/{app_id}/appattempts/{attempt}/containers"
        found = self.get(path).get("container") or []
        return found if isinstance(found, list) else [found]

    def wait_state(self, app_id, *states, seconds=30):
        return until(
            f"{' or '.join(states)} of {app_id}",
            lambda: self.app(app_id).get("state") in states,
            seconds,
        )

    def wait_logs(self):
        """Waits until the nodes have told what became of the logs of ended applications."""

        def are_known():
            path = "/ws/v1/cluster/apps?states=FINISHED,FAILED,KILLED"
            apps = (self.get(path).get("apps") or {}).get("app") or []
            apps = apps if isinstance(apps, list) else [apps]
            return not any(a["logAggregationStatus"] in ("NOT_START", "RUNNING") for a in apps)

        until("logs of ended applications", are_known)

    def wait_settled(self):
        """Waits until no container is on its way to run."""
        containers = "/ws/v1/node/containers" + ("?" + self.reader if self.reader else "")
        texts = lambda: (fetch(nm + containers) for nm in self.nms)  # noqa: E731
        until("containers", lambda: not any("SCHEDULED" in str(t) for t in texts()))

    # ---- applications
    def submit(self, name, command, user="hadoop", memory=256, **more):
        """Submits an application with the master @command; returns its id."""
        new = self.send("POST", f"/ws/v1/cluster/apps/new-application?user.name={user}")
        app_id = json.loads(new)["application-id"]
        body = {
            "application-id": app_id,
            "application-name": name,
            "am-container-spec": {"commands": {"command": command}},
            "resource": {"memory": memory, "vCores": 1},
            "max-app-attempts": 1,
        }
        self.send("POST", f"/ws/v1/cluster/apps?user.name={user}", {**body, **more})
        return app_id

    def shell(self, name, command, containers=1, kind="map", user="hadoop", **more):
        """What the recorded distributed shell was: a master and workers that run @command."""
        master = os.path.join(HERE, "shell-master.sh")
        quoted = command.replace("'", "'\\''")
        line = f"exec sh {master} {containers} {kind} '{quoted}'"
        return self.submit(name, line, user, **{"application-type": "YARN", **more})

    def job(self, name, body, user="hadoop"):
        """Submits one of Creel's jobs; returns its application id."""
        answer = self.send(
            "POST", f"/ws/v1/cluster/jobs?user.name={user}", {"job": {"name": name, **body}}
        )
        return json.loads(answer)["job"]["id"] if answer else "none"

    def kill(self, app_id, user="hadoop"):
        path = f"/ws/v1/cluster/apps/{app_id}/state?user.name={user}"
        self.send("PUT", path, {"state": "KILLED"})

    # ---- recording
    def record(self, phase, out, names, bases, wait=20):
        args = [os.path.join(HERE, "yarn", "record"), "--phase", phase, "--out", out]
        args += ["--wait", str(wait)]
        for key, value in bases.items():
            args += ["--base", f"{key}={value}"]
        for key, value in names.items():
            args += ["--set", f"{key}={value}"]
        host = re.escape(os.uname().nodename)
        args += ["--scrub", rf"(?<![\w.-]){host}(?![\w.-])=>host1"]
        args += ["--scrub", re.escape(self.folder) + "=>/srv/hadoop"]
        subprocess.run(args, check=False)
