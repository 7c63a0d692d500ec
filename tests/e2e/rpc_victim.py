#!/usr/bin/env python3
"""An ApplicationMaster over Hadoop RPC that is robbed, for rpc_attacks.sh: attackers find all that
it knows in a file.

usage, in a master's container: rpc_victim.py FOLDER NAME RM_HOST RM_PORT works|waits|ends
works: starts two containers, which end with 3 when FOLDER/go is there, and ends when they have.
waits: does not start them. FOLDER/NAME.expired is there when they were taken back; ends after
       FOLDER/go.
ends:  does not start them either, and ends at once.
FOLDER/NAME.json: address of the node, identifiers and passwords, in hex digits."""
import json
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from rpc_peer import Connection, field, fields, get, read_tokens

MASTER = "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB"
NODE = "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB"
CONTAINERS = 2


def all_of(message, number):
    return [fields(v) for n, v in message if n == number]


def inside(message, *numbers):
    for n in numbers:
        message = fields(get(message, n))
    return message


def token_message(identifier, password, kind=b"ContainerToken"):
    return field(1, identifier) + field(2, password) + field(3, kind) + field(4, b"")


def start_request(token, command=b"true"):
    return field(1, field(1, field(5, command)) + field(2, token_message(*token)))


class Master:
    def __init__(self, folder, name, host, port):
        self.folder, self.name = folder, name
        self.amrm = read_tokens(os.environ["HADOOP_TOKEN_FILE_LOCATION"])["YARN_AM_RM_TOKEN"]
        self.rm = Connection(port, "", self.amrm, host)
        self.response, self.granted, self.nm, self.ended = 0, [], None, {}
        self.call("registerApplicationMaster", field(1, b"localhost") + field(2, 4711))

    def call(self, method, request):
        return fields(self.rm.call(method, request, MASTER))

    def allocate(self, asks=b""):
        answer = self.call("allocate", asks + field(4, self.response))
        self.response = get(answer, 2)
        self.granted += all_of(answer, 3)
        for t in all_of(answer, 9):
            node = inside(t, 1)
            self.node = get(node, 1).decode(), get(node, 2)
            self.nm = get(inside(t, 2), 1), get(inside(t, 2), 2)
        for c in all_of(answer, 4):
            self.ended[get(inside(c, 1), 3)] = get(c, 4)

    def allocate_until(self, condition):
        while not condition():
            self.allocate()
            time.sleep(0.1)

    def ask(self):
        self.allocate(field(1, field(1, field(1, 5)) + field(2, b"*") +
                            field(3, field(1, 300) + field(2, 1)) + field(4, CONTAINERS)))
        self.allocate_until(lambda: len(self.granted) == CONTAINERS)

    def tokens(self):
        return [(get(inside(c, 6), 1), get(inside(c, 6), 2)) for c in self.granted]

    def write_loot(self):
        def in_hex(token):
            return [part.hex() for part in token]

        path = os.path.join(self.folder, self.name + ".json")
        with open(path + ".new", "w", encoding="ascii") as f:
            json.dump({"amrm": in_hex(self.amrm), "node": self.node, "nm": in_hex(self.nm),
                       "ids": [get(c, 1).hex() for c in self.granted],
                       "containers": [in_hex(t) for t in self.tokens()]}, f)
        os.rename(path + ".new", path)

    def start(self, command):
        node = Connection(self.node[1], "", self.nm, self.node[0])
        answer = fields(node.call("startContainers", b"".join(
            start_request(t, command) for t in self.tokens()), NODE))
        assert len(all_of(answer, 2)) == CONTAINERS, answer

    def has(self, name):
        return os.path.exists(os.path.join(self.folder, name))

    def finish(self):
        answer = self.call("finishApplicationMaster", field(1, self.name.encode()) + field(3, 1))
        assert get(answer, 1) == 1, answer


def main():
    folder, name, host, port, role = sys.argv[1:]
    m = Master(folder, name, host, int(port))
    m.ask()
    if role == "works":
        where = folder.encode()  # which is gone when the test has failed
        m.start(b"while [ -d '%s' ] && [ ! -e '%s/go' ]; do sleep 0.1; done; exit 3" %
                (where, where))
    m.write_loot()
    if role != "ends":
        m.allocate_until(lambda: len(m.ended) == CONTAINERS)
        assert set(m.ended.values()) == {3 if role == "works" else (1 << 64) - 100}, m.ended
    if role == "waits":
        with open(os.path.join(folder, name + ".expired"), "w", encoding="ascii"):
            pass
        m.allocate_until(lambda: m.has("go"))
    m.finish()


if __name__ == "__main__":
    main()
