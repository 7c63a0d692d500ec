"""Asks every route of both daemons as each role, and compares the answers with a table.

Usage: access.py FOLDER DEV TABLE [--print]
FOLDER/routes has the routes (list_routes), DEV the cluster of creel dev. --print prints what each
route answers instead of comparing."""
import hashlib
import hmac
import http.client
import json
import os
import re
import sys
import time

ROLES = ["nobody", "stranger", "viewer", "modifier", "queueadmin", "admin", "node", "master",
         "othermaster"]
# One more role: a task that signs with its container's token. It gets what a caller without a token
# gets, or a refusal, wherever the class is not that of masters and tasks.
TASK = "task"


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


UNKNOWN_START = "0" * 32


def sign(token, method, host, target, body, start):
    """The header of a signed request, from its description in deploy/doc/rest.md. The token is a
    secret's key, or that of a container: "NAME.KEY"."""
    if isinstance(token, bytes):
        key, name = token, hashlib.sha256(token).hexdigest()[:8]
    else:
        name, key = token.text.rsplit(".", 1)
        key = bytes.fromhex(key)
    now, nonce = int(time.time() * 1000), os.urandom(16).hex()
    digest = hashlib.sha256(body.encode()).hexdigest()
    text = "\n".join(["creel-request-3", method, host, target, str(now), nonce, start, digest])
    mac = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return (f"Creel-HMAC key={name}, time={now}, nonce={nonce}, start={start}, sha256={digest}, "
            f"mac={mac}")


class ContainerToken:
    """Signs requests, instead of being sent."""
    def __init__(self, text):
        self.text = text


class Server:
    def __init__(self, url):
        self.address = url.split("//")[1]
        self.connection = http.client.HTTPConnection(self.address, timeout=30)
        self.start = UNKNOWN_START

    def ask(self, method, path, token=None, body=None):
        headers = {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        for last in (False, True):
            if isinstance(token, (bytes, ContainerToken)):  # the request is signed, anew each time
                headers["Authorization"] = sign(token, method, self.address, path, body or "",
                                                self.start)
            elif token:
                headers["Authorization"] = "Bearer " + token
            try:
                self.connection.request(method, path, body, headers)
                answer = self.connection.getresponse()
                status, text = answer.status, answer.read()
                named = answer.getheader("X-Creel-Start")
                if not named or last:
                    return status, text
                self.start = named.split("start=")[1].split(",")[0]
            except (http.client.HTTPException, ConnectionError):
                self.connection.close()
                if last:
                    raise


class World:
    """A cluster with an application and jobs of "owner", and the tokens of all roles."""

    def __init__(self, folder, dev):
        self.folder = folder
        self.rm = Server(read(dev, "rm.url").strip())
        self.own = read(dev, "rm.token").split("\n")[0]
        self.tokens = {"nobody": None}
        for user in ("owner", "stranger", "viewer", "modifier", "queueadmin", "admin"):
            self.tokens[user] = self.make_token(user)["text"]
        self.tokens["node"] = bytes.fromhex(read(dev, "conf", "cluster.secret").split()[0])
        self.revocable = self.make_token("owner")["id"]
        node = self.get("/ws/v1/cluster/nodes")["nodes"]["node"][0]
        self.node_id = node["id"]
        self.nm = Server("http://" + node["nodeHTTPAddress"])
        self.app = self.submit_app("viewer", "modifier")
        self.other = self.submit_app(" ", " ")
        kept = os.path.join(folder, "task")
        self.job = self.submit_job(f'cp "$CREEL_APP_TOKEN_FILE" {kept}.part && '
                                   f"mv {kept}.part {kept}; sleep 1000")
        self.ended = self.submit_job("true")
        self.until(lambda: self.state(self.ended) == "FINISHED")
        self.tokens["master"] = self.token_of_master(self.app)
        self.tokens["othermaster"] = self.token_of_master(self.other)
        self.job_token = self.token_of_master("task")
        self.tokens[TASK] = ContainerToken(self.job_token)

    def until(self, what):
        end = time.monotonic() + 60
        while True:
            found = what()
            if found:
                return found
            if time.monotonic() > end:
                sys.exit("access: the cluster does not get ready")
            time.sleep(0.02)

    def need(self, method, path, token, body, status):
        got, text = self.rm.ask(method, path, token, json.dumps(body) if body else None)
        if got != status:
            sys.exit(f"access: {method} {path}: {got} {text.decode()}")
        return json.loads(text) if text else {}

    def get(self, path):
        return self.need("GET", path, self.own, None, 200)

    def state(self, app):
        return self.get(f"/ws/v1/cluster/apps/{app}")["app"]["state"]

    def make_token(self, user):
        body = {"token": {"user": user, "expiresInSeconds": 600}}
        return self.need("POST", "/ws/v1/cluster/tokens", self.own, body, 201)["token"]

    def submit_app(self, viewers, modifiers):
        owner = self.tokens["owner"]
        new = self.need("POST", "/ws/v1/cluster/apps/new-application", owner, {}, 200)
        app = new["application-id"]
        command = f'cp "$CREEL_APP_TOKEN_FILE" {self.folder}/{app}.part && ' \
                  f"mv {self.folder}/{app}.part {self.folder}/{app}; sleep 1000"
        acls = [{"key": "VIEW_APP", "value": viewers}, {"key": "MODIFY_APP", "value": modifiers}]
        self.need("POST", "/ws/v1/cluster/apps", owner, {
            "application-id": app, "max-app-attempts": 1,
            "am-container-spec": {"commands": {"command": command},
                                  "application-acls": {"entry": acls}}}, 202)
        return app

    def submit_job(self, command):
        job = {"tasks": [{"command": command}], "acl-view": "viewer", "acl-modify": "modifier"}
        answer = self.need("POST", "/ws/v1/cluster/jobs", self.tokens["owner"], {"job": job}, 201)
        return answer["job"]["id"]

    def token_of_master(self, app):
        path = os.path.join(self.folder, app)
        self.until(lambda: os.path.exists(path))
        return read(path).strip()

    def fill(self, path, text=None):
        """The path, or the text for it, with ids: of the ended job below /ws/v1/history, of the
        running one where a job is asked for, otherwise of the application."""
        app, job = self.app, self.job
        if path.startswith(("/ws/v1/history", "/jobhistory")):
            job = self.ended
        elif "/jobs/" in path or "mapoutput" in path or "nodetracker/apps" in path:
            app = self.job
        task = job.replace("application", "task") + "_m_000000"
        ids = {
            "appid": app,
            "jobid": job if path.startswith("/ws/v1/cluster/jobs") else
            job.replace("application", "job"),
            "taskid": task,
            "attemptid": task.replace("task", "attempt") + "_0" if "{taskid}" in path
            else app.replace("application", "appattempt") + "_000001",
            "containerid": app.replace("application", "container") +
            ("_01_000002" if "mapoutput" in path else "_01_000001"),
            "nodeid": self.node_id,
            "queue": "default",
            "filename": "stdout",
            "file": "none",
            "user": "owner",
            "tokenid": self.revocable,
            "command": "OUTPUT_THREAD_DUMP",
            "partition": "0",
            "type": "LIFETIME",
            "states": "RUNNING",
            "state": "RUNNING",
            "name": "none",
            "page": "app",
            "rest*": "none",
        }
        return re.sub(r"\{([a-z*]+)\}", lambda m: ids[m.group(1)], text or path)

    def ask(self, daemon, method, path, role, query, body):
        token = self.tokens[role]
        if role == "master" and ("nodetracker" in path or "mapoutput" in path):
            token = self.job_token  # that of a task
        server = self.rm if daemon == "rm" else self.nm
        if body is not None:
            body = self.fill(path, body)
        return server.ask(method, self.fill(path) + query, token, body)


def read_table(path):
    """Returns the expectations by class, and the rows by route in their order."""
    classes, rows = {}, {}
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if words[0] == "class":
                classes[words[1]] = dict(zip(ROLES, words[2:]))
                if len(words) != 2 + len(ROLES):
                    sys.exit(f"{path}:{number}: a class needs an answer for each of {ROLES}")
                continue
            daemon, method, route, name = words[:4]
            query, body = "", None
            for word in words[4:]:
                if word.startswith("?"):
                    query = word
                else:
                    body = word
            if name not in classes:
                sys.exit(f"{path}:{number}: there is no class {name}")
            if (daemon, method, route) in rows:
                sys.exit(f"{path}:{number}: the route has a row already")
            rows[daemon, method, route] = (name, query, body)
    return classes, rows


def expectations(classes, name, daemon):
    """What each role gets from a route of the class. To the ResourceManager the signature of a
    daemon is no user's: where users are asked for, a daemon gets what a caller without a token
    gets. A node trusts it, since the ResourceManager has checked the caller."""
    roles = dict(classes[name])
    if daemon == "rm" and name not in ("node", "master"):
        roles["node"] = roles["nobody"]
    return roles


def main():
    folder, dev, table = sys.argv[1:4]
    classes, rows = read_table(table)
    listed = [line.split() for line in read(folder, "routes").splitlines()]
    routes = [tuple(words[:3]) for words in listed]
    with_body = {tuple(words[:3]) for words in listed if "BODY" in words}
    wrong = [f"{' '.join(r)}: a route without a row" for r in routes if r not in rows]
    wrong += [f"{' '.join(r)}: a row without a route" for r in rows if r not in routes]
    if wrong and "--print" not in sys.argv:
        sys.exit("\n".join(wrong + [f"access: {table} does not fit the routes"]))
    world = World(folder, dev)
    asked = 0
    for route in list(rows) + [r for r in routes if r not in rows]:
        name, query, body = rows.get(route, (None, "", None))
        if body is None and route in with_body:
            body = "{}"
        # those who are refused come first: what the others change must not hide a refusal
        expected = expectations(classes, name, route[0]) if name else {}
        order = sorted(ROLES, key=lambda r: expected.get(r) == "+")
        got = {}
        for role in order:
            got[role] = world.ask(*route, role, query, body)
            asked += 1
        if "--print" in sys.argv:
            print(*route, name or "-", *(str(got[r][0]) for r in ROLES), sep="\t")
            continue
        status, text = world.ask(*route, TASK, query, body)
        asked += 1
        if (status >= 500 and expected["nobody"] != str(status)) or \
                (status < 400 and expected["nobody"] != "+" and name != "master"):
            wrong.append(f"{' '.join(route)} ({name}) as a task: {status}: {text[:200]}")
        for role in ROLES:
            status, want = got[role][0], expected[role]
            if want == "+":
                ok = status not in (401, 403) and (status < 500 or route[1] == "PUT")
            else:
                ok = str(status) == want
            if not ok:
                wrong.append(f"{' '.join(route)} ({name}) as {role}: {status}, not {want}: "
                             f"{got[role][1][:200].decode(errors='replace')}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(routes)} routes, {asked} requests: everybody gets what is theirs")


main()
