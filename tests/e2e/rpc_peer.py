#!/usr/bin/env python3
"""A client of Hadoop RPC that shares no code with Creel: frames, SASL and Protocol Buffers by hand.

usage: rpc_peer.py [--token FILE] [--user NAME] [--spoil] [--host HOST] PORT METHOD
                   [FIELD=VALUE ...]
Calls METHOD of the ApplicationClientProtocol (or of the one in PROTOCOLS) and
prints the result, one "path: value" a line, or the Java class of the error and its message (exit
status 1). FIELD is a dotted path of field numbers; VALUE a number, a text after "=", or bytes as
hex digits after "%". A "+" before FIELD begins another message in the list at the path's last but
one number. --token: a credentials file, whose token is shown. --spoil: with another password.
       rpc_peer.py --raw PORT HEX: sends bytes, prints what comes back as hex digits."""
import argparse
import base64
import hashlib
import os
import socket
import struct
import sys

CLIENT = "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"
HA = "org.apache.hadoop.ha.HAServiceProtocol"
TRACKER = "org.apache.hadoop.yarn.server.api.ResourceTrackerPB"
PROTOCOLS = {"getServiceStatus": HA, "registerNodeManager": TRACKER, "nodeHeartbeat": TRACKER,
             "unRegisterNodeManager": TRACKER}  # of the methods that are not the client's
ADMIN = "org.apache.hadoop.yarn.server.api.ResourceManagerAdministrationProtocolPB"
PROTOCOLS |= dict.fromkeys(
    ("refreshQueues", "refreshNodes", "refreshUserToGroupsMappings", "refreshAdminAcls",
     "checkForDecommissioningNodes", "getGroupsForUser", "updateNodeResource",
     "addToClusterNodeLabels", "removeFromClusterNodeLabels", "replaceLabelsOnNodes"), ADMIN)


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def zigzag(n):
    return n << 1 ^ n >> 63


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def fields(data):
    at, out = 0, []
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        elif key & 7 == 5:
            value, at = struct.unpack_from("<f", data, at)[0], at + 4
        elif key & 7 == 2:
            n, at = read_varint(data, at)
            if at + n > len(data):
                raise ValueError("cut off")
            value, at = data[at:at + n], at + n
        else:
            raise ValueError(f"wire type {key & 7}")
        out.append((key >> 3, value))
    return out


def get(message, number, default=None):
    return next((v for n, v in message if n == number), default)


def delimited(message):
    return varint(len(message)) + message


class Refused(Exception):
    def __init__(self, text, status=0):
        super().__init__(text)
        self.status = status  # of the answer: 1 ERROR, 2 FATAL; 0: there was none


class Connection:
    def __init__(self, port, user, token=None, host="127.0.0.1", source=None):
        """source: the address to call from; None: any."""
        self.socket = socket.create_connection((host, port), timeout=30,
                                               source_address=source and (source, 0))
        self.client, self.calls, self.answers = os.urandom(16), 0, {}
        self.protocol_named = False
        self.user, self.sasl = user, token is not None
        self.socket.sendall(b"hrpc\x09\0" + (b"\xdf" if self.sasl else b"\0"))
        if token:
            self.show(*token)

    def send(self, call, *messages, client=None):
        header = (field(1, 2) + field(2, 0) + field(3, zigzag(call)) +
                  field(4, self.client if client is None else client) + field(5, zigzag(-1)))
        body = delimited(header) + b"".join(map(delimited, messages))
        self.socket.sendall(struct.pack(">I", len(body)) + body)

    def receive(self):
        """Returns the header of the next answer and its result."""
        data = b""
        while len(data) < 4 or len(data) < 4 + struct.unpack(">I", data[:4])[0]:
            whole = 4 if len(data) < 4 else 4 + struct.unpack(">I", data[:4])[0]
            more = self.socket.recv(whole - len(data))
            if not more:
                raise Refused("connection closed")
            data += more
        n, at = read_varint(data, 4)
        header = fields(data[at:at + n])
        if get(header, 2):
            raise Refused(f"{get(header, 4).decode()}: {get(header, 5).decode()}", get(header, 2))
        rest = data[at + n:]
        n, at = read_varint(rest, 0)
        return header, rest[at:at + n]

    def negotiate(self):
        """Returns the nonce that the server offers."""
        self.send(-33, field(1, 0) + field(2, 1), client=b"")
        offered = [fields(m) for n, m in fields(self.receive()[1]) if n == 4]
        assert [get(o, 1) for o in offered] == [b"TOKEN"], offered
        challenge = dict(p.split(b"=", 1) for p in get(offered[0], 5).split(b","))
        return challenge[b"nonce"].strip(b'"')

    def initiate(self, method, mechanism, proof=None):
        self.send(-33, field(1, 0) + field(2, 2) + (field(3, proof) if proof else b"") +
                  field(4, field(1, method) + field(2, mechanism) +
                        (field(3, b"") + field(4, b"default") if proof else b"")), client=b"")

    def show(self, identifier, password):
        def digest(*parts):
            return hashlib.md5(b":".join(parts)).hexdigest().encode()

        nonce, cnonce = self.negotiate(), os.urandom(8).hex().encode()
        name, secret = base64.b64encode(identifier), base64.b64encode(password)
        a1 = hashlib.md5(hashlib.md5(b":".join((name, b"default", secret))).digest() +
                         b":" + nonce + b":" + cnonce).hexdigest().encode()
        middle = (nonce, b"00000001", cnonce, b"auth")
        response = digest(a1, *middle, digest(b"AUTHENTICATE", b"/default"))
        self.proof = (b'charset=utf-8,username="%s",realm="default",nonce="%s",nc=00000001,'
                      b'cnonce="%s",digest-uri="/default",maxbuf=65536,response=%s,qop=auth' %
                      (name, nonce, cnonce, response))
        self.initiate(b"TOKEN", b"DIGEST-MD5", self.proof)
        result = fields(self.receive()[1])
        assert get(result, 2) == 0
        assert get(result, 3) == b"rspauth=" + digest(a1, *middle, digest(b"", b"/default"))

    def begin(self, method, request=b"", protocol=CLIENT):
        """Sends a call and returns its id."""
        if not self.protocol_named:
            who = b"" if self.sasl else field(1, self.user.encode())
            self.send(-3, field(2, who) + field(3, protocol.encode()))
            self.protocol_named = True
        self.send(self.calls, field(1, method.encode()) + field(2, protocol.encode()) + field(3, 1),
                  request)
        self.calls += 1
        return self.calls - 1

    def call(self, method, request=b"", protocol=CLIENT):
        self.begin(method, request, protocol)
        return self.receive()[1]


def read_tokens(path):
    """Returns identifier and password of the tokens in a credentials file, by their kinds."""
    with open(path, "rb") as f:
        data = f.read()
    assert data[:5] == b"HDTS\0" and data[5] < 0x80, data[:6]
    at, tokens = 6, {}
    for _ in range(data[5]):
        parts = []
        for _ in range(5):  # its name in the file, identifier, password, kind, service; all short
            assert data[at] < 0x80
            parts.append(data[at + 1:at + 1 + data[at]])
            at += 1 + data[at]
        assert parts[3] != b"RM_DELEGATION_TOKEN" or parts[0] == parts[4], parts
        tokens[parts[3].decode()] = parts[1], parts[2]
    assert data[at:] == b"\0", data
    return tokens


def build(assignments):
    """Builds a message of "1.2=5" and "3==text"."""
    messages, out = [], b""  # [number, assignments inside]
    for path, value in assignments:
        again = path.startswith("+")
        number, _, rest = path.lstrip("+").partition(".")
        if not rest:
            out += field(int(number), value[1:].encode() if value[:1] == "=" else
                         bytes.fromhex(value[1:]) if value[:1] == "%" else int(value))
            continue
        begins = again and "." not in rest
        same = [m for m in messages if m[0] == int(number)]
        if begins or not same:
            messages.append([int(number), []])
            same = messages[-1:]
        same[-1][1].append((("+" if again and not begins else "") + rest, value))
    return out + b"".join(field(n, build(inside)) for n, inside in messages)


def show(data, prefix=""):
    for number, value in fields(data):
        path = f"{prefix}{number}"
        if not isinstance(value, bytes):
            negative = isinstance(value, int) and value >> 63
            print(f"{path}: {value - (1 << 64) if negative else value}")
            continue
        try:
            text = value.decode()
            if text.isprintable():
                print(f"{path}: {text}")
                continue
        except UnicodeDecodeError:
            pass
        try:
            show(value, path + ".")
        except (ValueError, IndexError):
            print(f"{path}: bytes {value.hex()}")


def send_raw(port, data):
    with socket.create_connection(("127.0.0.1", port), timeout=30) as s:
        s.sendall(data)
        out = b""
        while more := s.recv(65536):
            out += more
    print(out.hex())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--token")
    p.add_argument("--user", default="alice")
    p.add_argument("--spoil", action="store_true")
    p.add_argument("--raw", action="store_true")
    p.add_argument("--twice", action="store_true", help="two calls before any answer, and a ping")
    p.add_argument("--host", default="127.0.0.1")
    p.add_argument("port", type=int)
    p.add_argument("method")
    p.add_argument("fields", nargs="*")
    a = p.parse_args()
    if a.raw:
        send_raw(a.port, bytes.fromhex(a.method))
        return
    token = read_tokens(a.token)["RM_DELEGATION_TOKEN"] if a.token else None
    if a.spoil:
        token = token[0], token[1][::-1]
    try:
        c = Connection(a.port, a.user, token, a.host)
        request = build([f.split("=", 1) for f in a.fields])
        if a.twice:
            ids = {c.begin(a.method, request), c.begin(a.method, request)}
            c.send(-4)
            assert {get(c.receive()[0], 1) for _ in range(2)} == ids
        show(c.call(a.method, request, PROTOCOLS.get(a.method, CLIENT)))
    except Refused as e:
        print(e)
        sys.exit(1)


if __name__ == "__main__":
    main()
