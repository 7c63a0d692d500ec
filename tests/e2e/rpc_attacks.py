#!/usr/bin/env python3
"""Attacks the ports of Hadoop RPC from another host, for rpc_attacks.sh.

usage, in the attacker's network namespace: rpc_attacks.py FOLDER
FOLDER has what the masters have lost, and the logs. RM_HEADER: the file with an administrator's
header, for what REST says. Each attack has an address of its own, and is checked for four things:
what is answered, a line with that address in a log, that there is only one, and that REST says
afterwards what it said before. Prints a line for each attack; the status is 1 if one succeeds."""
import ctypes
import http.client
import json
import os
import re
import socket
import ssl
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from rpc_peer import ADMIN, CLIENT, HA, TRACKER, Connection, Refused, delimited, field, fields, get
from rpc_peer import read_tokens, zigzag
from rpc_victim import MASTER, NODE, all_of, inside, start_request

RM, NM = "10.77.0.11", "10.77.0.21"
LISTED = "10.77.0.25"
CLIENTS, MASTERS, NODES, ADMINS = (RM, 8032), (RM, 8030), (RM, 8031), (RM, 8033)
OF_NODE = (NM, 8041)
YARN = "org.apache.hadoop.yarn.exceptions."
BAD_TOKEN = "FATAL org.apache.hadoop.security.token.SecretManager$InvalidToken"
NO_ACCESS = "org.apache.hadoop.security.AccessControlException"
VERSION = "org.apache.hadoop.ipc.RPC$VersionMismatch"
RPC_FAULT = "FATAL org.apache.hadoop.ipc.RpcServerException"
MALFORMED = "org.apache.hadoop.thirdparty.protobuf.InvalidProtocolBufferException"
CLOSED = "closed"
PATIENCE_S = 50  # slow peers are cut off after 30
LIAR = field(1, b"liar") + field(2, 45454)
# what changes by itself
MOVING = re.compile("elapsed|Second|[uU]tili[sz]ation|lastHealthUpdate|lastrun|QueueSize")

folder = sys.argv[1]
failures = 0


def enter(host):
    """Sockets are made on this host from now on."""
    with open(f"/run/netns/{host}", "rb") as f:
        if ctypes.CDLL(None, use_errno=True).setns(f.fileno(), 0x40000000) != 0:
            raise OSError(ctypes.get_errno(), f"setns {host}")


# ---- what is the same before and after

class Rest:
    def __init__(self):
        context = ssl.create_default_context(cafile=os.environ["CREEL_CA_FILE"])
        with open(os.environ["RM_HEADER"], encoding="ascii") as f:
            name, value = f.read().strip().split(": ", 1)
        self.header = {name: value, "Accept": "application/json"}
        self.last = None
        self.rm = http.client.HTTPSConnection("master", 8090, timeout=30, context=context)
        self.nm = http.client.HTTPSConnection("nm1", 8044, timeout=30, context=context)

    def read(self, daemon, path):
        daemon.request("GET", path, headers=self.header)
        answer = daemon.getresponse()
        body = answer.read()
        assert answer.status == 200, f"{path}: {answer.status} {body[:200]}"
        return json.loads(body)

    def before(self):
        """Returns what was read after the last attack: what comes late shows, too."""
        return self.last or self.state()

    def state(self):
        cluster = "/ws/v1/cluster/"
        out = {p: self.read(self.rm, cluster + p)
               for p in ("apps", "nodes", "metrics", "scheduler")}
        for app in out["apps"]["apps"]["app"]:
            attempts = f"apps/{app['id']}/appattempts"
            out[attempts] = self.read(self.rm, cluster + attempts)
            first = app["id"].replace("application", "appattempt") + "_000001"
            containers = f"{attempts}/{first}/containers"
            out[containers] = self.read(self.rm, cluster + containers)
        out["node"] = self.read(self.nm, "/ws/v1/node/containers")
        return drop_moving(out)


def drop_moving(value):
    if isinstance(value, dict):
        return {k: drop_moving(v) for k, v in value.items() if not MOVING.search(k)}
    return [drop_moving(v) for v in value] if isinstance(value, list) else value


def differences(one, other, path=""):
    if type(one) is not type(other):
        return [f"{path}: {one} -> {other}"]
    if isinstance(one, dict):
        return [d for k in sorted(set(one) | set(other))
                for d in differences(one.get(k), other.get(k), f"{path}/{k}")]
    if isinstance(one, list) and len(one) == len(other):
        return [d for i, (a, b) in enumerate(zip(one, other))
                for d in differences(a, b, f"{path}/{i}")]
    return [] if one == other else [f"{path}: {one} -> {other}"]


# ---- logs

class Logs:
    FILES = ("rm1/log", "nm1/log", "rm.audit", "nm.audit")

    def __init__(self):
        self.begin = {f: self.size(f) for f in self.FILES}

    @staticmethod
    def size(name):
        path = os.path.join(folder, name)
        return os.path.getsize(path) if os.path.exists(path) else 0

    def lines(self, words):
        """Returns the lines that have come since, by file."""
        out = {}
        for name, begin in self.begin.items():
            if self.size(name) > begin:
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    f.seek(begin)
                    found = [line for line in f.read().split("\n")
                             if re.search(words, line) and " audit: " not in line]
                if found:
                    out[name] = found
        return out

    def wait(self, words, seconds=5):
        end = time.monotonic() + seconds
        while not (found := self.lines(words)) and time.monotonic() < end:
            time.sleep(0.02)
        return found


# ---- attacks

def outcome(act, *arguments):
    try:
        return act(*arguments) or "answered"
    except Refused as e:
        kind = {1: "", 2: "FATAL "}.get(e.status)
        return CLOSED if kind is None else kind + str(e).split(":", 1)[0]
    except (ConnectionError, TimeoutError) as e:
        return CLOSED if isinstance(e, ConnectionError) else "no answer"


def report(name, faults, got):
    global failures
    print(f"{'FAIL' if faults else 'ok  '} {name}: {got}", flush=True)
    for fault in faults:
        failures += 1
        print(f"     {fault}", flush=True)


addresses = (f"10.77.0.{i}" for i in range(100, 200))


def attack(name, expected, act, words=None, quiet=True):
    """words: what is in its line; None: the address. quiet: nothing else happens meanwhile."""
    time.sleep(0.12)  # the log has ten lines a second about connections
    address = next(addresses)
    words = words or f"(of |ip=){re.escape(address)} "
    before, logs = rest.before(), Logs()
    got = outcome(act, address)
    lines = logs.wait(words)
    rest.last = rest.state()
    faults = differences(before, rest.last) if quiet else []
    if got != expected:
        faults.append(f"expected {expected}")
    if not lines:
        faults.append(f"no line with '{words}'")
    faults += [f"{len(v)} lines in {k}: {v}" for k, v in lines.items() if len(v) > 1]
    report(name, faults, got)


def connect(port, address, preamble=b""):
    """Returns a connection that has said nothing but @preamble."""
    c = Connection.__new__(Connection)
    c.socket = socket.create_connection(port, timeout=30, source_address=(address, 0))
    c.client, c.calls, c.protocol_named, c.user, c.sasl = b"c" * 16, 0, False, "", True
    c.socket.sendall(preamble)
    return c


def tell(port, *parts):
    """Sends bytes, and ends; what is answered is read like an answer to a call."""
    def act(address):
        c = connect(port, address, b"".join(parts))
        c.socket.shutdown(socket.SHUT_WR)
        c.receive()
    return act


def call(port, method, request, protocol, token=None, user="eve"):
    def act(address):
        Connection(port[1], user, token, port[0], address).call(method, request, protocol)
    return act


def frame(*messages):
    body = b"".join(map(delimited, messages))
    return struct.pack(">I", len(body)) + body


def header(call_id, kind=2, op=0):
    return field(1, kind) + field(2, op) + field(3, zigzag(call_id)) + field(4, b"c" * 16)


def groups(depth):
    """Groups in groups, of a field that nobody knows."""
    return b"\x7b" * depth + b"\x7c" * depth


def send_what_is_no_protocol():
    tls = bytes.fromhex("16030100a5010000a10303") + os.urandom(160)
    for port in CLIENTS, MASTERS, NODES, ADMINS, OF_NODE:
        attack(f"a TLS greeting at {port[1]}", "FATAL " + VERSION, tell(port, tls))
    for port in CLIENTS, OF_NODE:
        sasl = b"hrpc\x09\0\xdf"
        for version in 8, 10: # the first of which YARN answers in a form of its own
            attack(f"version {version} at {port[1]}", "FATAL " + VERSION,
                   tell(port, b"hrpc", bytes([version, 0, 0])))
        attack(f"a proof of an unknown kind at {port[1]}",
               "FATAL org.apache.hadoop.ipc.IpcException", tell(port, b"hrpc\x09\0\x50"))
        attack(f"half a preamble at {port[1]}", CLOSED, tell(port, b"hrp"))
        attack(f"half a frame at {port[1]}", CLOSED,
               tell(port, sasl, struct.pack(">I", 100), b"\x0a\x08"))
        for length in 0x7fffffff, 0xffffffff, 100000:
            attack(f"a frame of {length} bytes at {port[1]}", CLOSED,
                   tell(port, sasl, struct.pack(">I", length), b"x" * 100))
        for what, *messages in (
                ("noise in a frame", b"\xff" * 60),
                ("a deeply nested header", header(-33) + groups(20000), b""),
                ("a call without a proof", header(0), b"", b""),
                ("Writable", header(-33, kind=1), b""),
                ("an operation that is none", header(-33, op=1), b"")):
            attack(f"{what} at {port[1]}", RPC_FAULT, tell(port, sasl, frame(*messages)))


def send_what_is_no_request(eve):
    for what, request in (("noise", b"\xff" * 50), ("groups in groups", groups(20000)),
                          ("100000 bytes", field(9, b"x" * 100000))):
        attack(f"{what} as a request", MALFORMED,
               call(CLIENTS, "getApplicationReport", request, CLIENT, eve))
    attack("a protocol that is not there", "org.apache.hadoop.ipc.RpcNoSuchProtocolException",
           call(CLIENTS, "allocate", b"", MASTER, eve))


def go_without_token():
    def choose_simple(port):
        def act(address):
            c = connect(port, address, b"hrpc\x09\0\xdf")
            c.negotiate()
            c.initiate(b"SIMPLE", b"")
            c.receive()
        return act

    for port in CLIENTS, MASTERS, OF_NODE:
        attack(f"SIMPLE at {port[1]}", "FATAL " + NO_ACCESS,
               call(port, "getClusterMetrics", b"", CLIENT, user="root"))
        attack(f"SIMPLE after negotiation at {port[1]}", "FATAL " + NO_ACCESS, choose_simple(port))


def repeat_proof(port, token):
    def act(address):
        proof = Connection(port[1], "", token, port[0], address).proof
        c = connect(port, address, b"hrpc\x09\0\xdf")
        c.negotiate()
        c.initiate(b"TOKEN", b"DIGEST-MD5", proof)
        c.receive()
    return act


def pretend(eve, name, real=None):
    def act(address):
        c = Connection(CLIENTS[1], "", eve, CLIENTS[0], address)
        c.send(-3, field(2, field(1, name) + (field(2, real) if real else b"")) +
               field(3, CLIENT.encode()))
        c.receive()
    return act


# ---- at a node

def of_node(method, request, token, failed):
    """failed: where the answer lists containers that were refused."""
    def act(address):
        answer = fields(Connection(OF_NODE[1], "", token, OF_NODE[0], address)
                        .call(method, request, NODE))
        return "in part " + get(inside(all_of(answer, failed)[0], 2), 3).decode()
    return act


def start(token, container):
    return of_node("startContainers", start_request(container), token, 3)


class Loot:
    def __init__(self, name):
        with open(os.path.join(folder, name + ".json"), encoding="ascii") as f:
            loot = json.load(f)
        self.amrm, self.nm = [tuple(map(bytes.fromhex, loot[k])) for k in ("amrm", "nm")]
        self.containers = [tuple(map(bytes.fromhex, c)) for c in loot["containers"]]
        self.ids = [bytes.fromhex(i) for i in loot["ids"]]
        self.attempt = get(fields(self.ids[0]), 2)
        self.app = get(fields(self.attempt), 1)


def use_lost_tokens(eve, honest, lost, past):
    proofs = ((CLIENTS, eve), (MASTERS, lost.amrm), (OF_NODE, lost.nm))
    for port, token in proofs:
        attack(f"a repeated proof at {port[1]}", "FATAL javax.security.sasl.SaslException",
               repeat_proof(port, token))
        attack(f"a wrong password at {port[1]}", BAD_TOKEN,
               call(port, "x", b"", CLIENT, (token[0], token[1][::-1])))
        for other, stranger in proofs:
            if other != port:
                attack(f"the token for {other[1]} at {port[1]}", BAD_TOKEN,
                       call(port, "x", b"", CLIENT, stranger))
    refused = "org.apache.hadoop.security.authorize.AuthorizationException"
    attack("eve's token in ann's name", "FATAL " + refused, pretend(eve, b"ann"))
    attack("eve's token to act for ann", "FATAL " + refused, pretend(eve, b"ann", b"eve"))
    attack("eve kills ann's application", YARN + "YarnException",
           call(CLIENTS, "forceKillApplication", field(1, honest.app), CLIENT, eve))
    attack("a release of another's container", YARN + "InvalidContainerReleaseException",
           call(MASTERS, "allocate", field(2, honest.ids[0]), MASTER, lost.amrm))
    attack("another's attempt by one's own password", BAD_TOKEN,
           call(MASTERS, "allocate", b"", MASTER, (honest.amrm[0], lost.amrm[1])))
    attack("the token of an ended attempt", BAD_TOKEN,
           call(MASTERS, "allocate", b"", MASTER, past.amrm))

    in_part = "in part " + YARN + "YarnException"
    attack("another's container", in_part, start(lost.nm, honest.containers[0]))
    attack("a container once more", in_part, start(honest.nm, honest.containers[0]))
    wider = lost.containers[0][0].replace(field(1, 300), field(1, 301))
    assert wider != lost.containers[0][0]
    attack("a container that is made larger", BAD_TOKEN[6:], start(
        lost.nm, (wider, lost.containers[0][1])))
    attack("a stop of another's container", in_part,
           of_node("stopContainers", field(1, honest.ids[0]), lost.nm, 2))
    attack("the state of another's container", in_part,
           of_node("getContainerStatuses", field(1, honest.ids[0]), lost.nm, 2))


# ---- ports that know their callers by address

def go_unlisted():
    node = field(1, field(1, b"evil") + field(2, 1))
    for method, request in (("registerNodeManager", node + field(3, 1)),
                            ("nodeHeartbeat", field(1, node)), ("unRegisterNodeManager", node)):
        attack(f"{method} from elsewhere", NO_ACCESS, call(NODES, method, request, TRACKER))
    for method, protocol in (("refreshQueues", ADMIN), ("refreshNodes", ADMIN),
                             ("updateNodeResource", ADMIN), ("getServiceStatus", HA),
                             ("transitionToStandby", HA)):
        attack(f"{method} from elsewhere", NO_ACCESS,
               call(ADMINS, method, b"", protocol, user="root"))


def status_of(container, state, exit_status=-1000, resource=b""):
    return field(1, container) + field(2, state) + resource + field(4, exit_status)


class Liar:
    """A node whose address is listed. All its attacks come from this address."""
    def __init__(self):
        enter("nm5")
        self.rm = Connection(NODES[1], "yarn", None, NODES[0], LISTED)
        self.response = 0
        self.register()
        rest.last = None  # with one more node

    def call(self, method, request):
        return fields(self.rm.call(method, request, TRACKER))

    def register(self, node=LIAR, containers=b""):
        """It has room for no container."""
        self.call("registerNodeManager", field(1, node) + field(3, 8042) +
                  field(4, field(1, 100) + field(2, 1)) + field(5, b"3.4.2") + containers)
        self.response = 0

    def beat(self, *containers, node=LIAR):
        """Returns how many containers it is to end or to forget."""
        answer = self.call("nodeHeartbeat", field(1, field(1, node) + field(
            2, self.response) + b"".join(field(3, c) for c in containers) + field(4, field(1, 1))))
        if get(answer, 4):
            return "resync"
        self.response = get(answer, 1)
        return f"told of {len(all_of(answer, 5)) + len(all_of(answer, 9))}"

    def attack(self, name, expected, act, words=f"liar:45454|ip={re.escape(LISTED)} "):
        time.sleep(1.1)  # the log has one line a second about a node
        attack(name + " by a listed node", expected, lambda address: act(), words)


def lie(honest, nm1):
    liar = Liar()
    def invented(number):
        return field(2, honest.attempt) + field(3, number)

    stranger = field(2, field(1, field(1, 7) + field(2, 5)) + field(2, 1)) + field(3, 2)
    master = field(2, honest.attempt) + field(3, 1)

    def register_with(number, memory):
        liar.register(containers=field(6, field(1, invented(number)) + field(2, 2) + field(
            3, field(1, memory) + field(2, 1)) + field(4, field(1, 5)) + field(6, -1000)))
        return liar.beat()

    liar.attack("an invented container", "told of 1",
                lambda: liar.beat(status_of(invented(901), 2)))
    liar.attack("an invented end", "told of 1", lambda: liar.beat(status_of(invented(902), 3, 0)))
    liar.attack("the end of another node's container", "told of 0",
                lambda: liar.beat(status_of(honest.ids[0], 3, 0)))
    liar.attack("the end of another node's master", "told of 0",
                lambda: liar.beat(status_of(master, 3, 1)))
    liar.attack("a container of another cluster", "told of 1",
                lambda: liar.beat(status_of(stranger, 2)))
    for number, memory in (903, 300), (904, 1 << 62), (905, -1):
        liar.attack(f"a registration with an invented container of {memory} MB", "told of 1",
                    lambda number=number, memory=memory: register_with(number, memory))
    host, port = nm1.split(":")
    other = field(1, host.encode()) + field(2, int(port))
    liar.attack("a registration in another node's name", YARN + "YarnException",
                lambda: liar.register(other))
    liar.attack("a heartbeat in another node's name", "resync", lambda: liar.beat(node=other),
                re.escape(nm1))
    liar.attack("an end in another node's name", "answered",
                lambda: liar.call("unRegisterNodeManager", field(1, other)) and None)
    liar.attack("a port that is none", YARN + "YarnException",
                lambda: liar.register(field(1, b"liar") + field(2, 70000)))
    liar.attack("40001 containers", YARN + "YarnException",
                lambda: liar.beat(*[status_of(invented(906), 2)] * 40001))
    liar.attack("orders of somebody who is no administrator", YARN + "YarnException",
                lambda: call(ADMINS, "refreshQueues", b"", ADMIN, user="mallory")(LISTED))
    liar.call("unRegisterNodeManager", field(1, LIAR))
    rest.last = None
    enter("nm4")


# ---- slow ones and many

class Slow:
    """Connections that say too little, begun now."""
    def __init__(self):
        self.logs, self.conns = Logs(), []
        for port in CLIENTS, MASTERS, OF_NODE:
            for what, preamble, why in (
                    ("half a frame", b"hrpc\x09\0\xdf" + struct.pack(">I", 1000) + b"x",
                     "a request arrives too slowly|context has not come in time"),
                    ("nothing after the preamble", b"hrpc\x09\0\xdf",
                     "context has not come in time")):
                address = next(addresses)
                self.conns.append((f"{what} for long at {port[1]}", address, why,
                                   connect(port, address, preamble)))

    def check(self):
        for name, address, why, c in self.conns:
            c.socket.settimeout(PATIENCE_S)
            got = outcome(c.receive)
            lines = self.logs.wait(f"of {re.escape(address)} closed: .*({why})")
            faults = [] if got == CLOSED else [f"expected {CLOSED}"]
            if [len(v) for v in lines.values()] != [1]:
                faults.append(f"not one line: {lines}")
            report(name, faults, got)


def come_in_thousands(ann, honest):
    """The address has its share of connections; others are served meanwhile."""
    for port in CLIENTS, OF_NODE:
        address, before, logs = next(addresses), rest.state(), Logs()
        conns = [connect(port, address, b"hrpc") for _ in range(3000)]
        got = outcome(call(CLIENTS, "getApplicationReport", field(1, honest.app), CLIENT, ann),
                      next(addresses))
        lines = logs.wait(f"{re.escape(address)} (are turned away|closed)")
        for c in conns:
            c.socket.close()
        faults = differences(before, rest.state())
        if got != "answered":
            faults.append("expected an answer to somebody else")
        if not lines or max(map(len, lines.values())) > 100:
            faults.append(f"lines: { {k: len(v) for k, v in lines.items()} }")
        report(f"3000 connections at {port[1]}, and a call of somebody else", faults, got)


def main():
    slow = Slow()
    eve, ann = [read_tokens(os.path.join(folder, user + ".hdts"))["RM_DELEGATION_TOKEN"]
                for user in ("eve", "ann")]
    honest, lost, past = Loot("honest"), Loot("lost"), Loot("past")
    while any(a["state"] == "RUNNING" and a["user"] == "eve" and a["id"].endswith("_0003")
              for a in rest.read(rest.nm, "/ws/v1/node/apps")["apps"]["app"]):
        time.sleep(0.05)  # until the node is told of the end, as in YARN
    attack("a container of an ended attempt", "in part " + YARN + "YarnException",
           start(past.nm, past.containers[0]),
           "ip=10.77.0.106 .*why=.*(has ended|token is expired)",  # that on a very slow machine
           quiet=False)
    while not os.path.exists(os.path.join(folder, "lost.expired")):
        time.sleep(0.1)
    rest.last = None
    attack("an expired container token", "in part " + YARN + "YarnException",
           start(lost.nm, lost.containers[0]), "ip=10.77.0.107 .*why=.*token is expired")
    use_lost_tokens(eve, honest, lost, past)
    send_what_is_no_protocol()
    send_what_is_no_request(eve)
    go_without_token()
    go_unlisted()
    lie(honest, rest.state()["nodes"]["nodes"]["node"][0]["id"])
    come_in_thousands(ann, honest)
    slow.check()
    sys.exit(1 if failures else 0)


rest = Rest()
main()
