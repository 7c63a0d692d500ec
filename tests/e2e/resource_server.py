#!/usr/bin/env python3
"""A small web server for launch_context.sh: resource_server.py FOLDER LOG PORTFILE

Serves the files of FOLDER with their times, logs each path to LOG, and has some paths of its own:
  /to/PATH      302 to /PATH                /to-file      302 to file:///etc/hostname
  /round        302 to itself               /endless      never stops sending
  /slow         sends a little, then waits  /missing      404
  /webhdfs/v1/PATH?op=OP&user.name=USER     FOLDER/hdfs/PATH, as WebHDFS answers: to others than its
                                            "ann" only what everybody may read
  /standby/...  what a name node that is on standby answers"""
import email.utils
import http.server
import json
import os
import sys
import time
import urllib.parse

FOLDER, LOG, PORTFILE = sys.argv[1:4]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *args):
        pass

    def redirect(self, to):
        self.send_response(302)
        self.send_header("Location", to)
        self.end_headers()

    def pour(self, pause):
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"x" * 65536)
                self.wfile.flush()
                time.sleep(pause)
        except OSError:
            pass

    def do_GET(self):
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(self.path + "\n")
        if self.path.startswith("/webhdfs/v1/"):
            self.webhdfs()
        elif self.path.startswith("/standby/"):
            self.send_json(403, {"RemoteException": {"exception": "StandbyException"}})
        elif self.path.startswith("/to/"):
            self.redirect(self.path[3:])
        elif self.path == "/to-file":
            self.redirect("file:///etc/hostname")
        elif self.path == "/round":
            self.redirect("/round")
        elif self.path in ("/endless", "/slow"):
            self.pour(0 if self.path == "/endless" else 0.2)
        else:
            at = urllib.parse.unquote(self.path)
            self.send_file(os.path.join(FOLDER, "hdfs", at[len("/hdfs-data/"):])
                           if at.startswith("/hdfs-data/") else
                           os.path.join(FOLDER, os.path.basename(at)))

    def send_json(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def webhdfs(self):
        url = urllib.parse.urlsplit(self.path)
        name = urllib.parse.unquote(url.path[len("/webhdfs/v1/"):])
        query = urllib.parse.parse_qs(url.query)
        path = os.path.join(FOLDER, "hdfs", name)

        def status(path, suffix):
            st = os.stat(path)
            return {"pathSuffix": suffix, "length": st.st_size if os.path.isfile(path) else 0,
                    "type": "FILE" if os.path.isfile(path) else "DIRECTORY",
                    "modificationTime": st.st_mtime_ns // 1000000}

        if not os.path.exists(path):
            self.send_json(404, {"RemoteException": {"exception": "FileNotFoundException"}})
        elif query["user.name"] != ["ann"] and not os.stat(path).st_mode & 4:
            self.send_json(403, {"RemoteException": {
                "exception": "AccessControlException", "message": "Permission denied"}})
        elif query["op"] == ["GETFILESTATUS"]:
            self.send_json(200, {"FileStatus": status(path, ""),
                                 "more": "x" * (65536 if name.endswith("of much") else 0)})
        elif query["op"] == ["LISTSTATUS"]:
            self.send_json(200, {"FileStatuses": {"FileStatus": [
                status(os.path.join(path, n), n) for n in os.listdir(path)] + [
                    {"pathSuffix": "../evil", "type": "FILE", "length": 0, "modificationTime": 1}
                ] * name.endswith("lying")},
                # an answer that takes 160 MB when it is parsed, in a process that may have 512
                "more": [[]] * (1200000 if "heavy" in name else 0)})
        elif query["op"] == ["OPEN"]:
            self.redirect("http://" + self.headers["Host"] + "/hdfs-data/" +
                          urllib.parse.quote(name))

    def send_file(self, path):
        if not os.path.isfile(path):
            self.send_error(404)
            return
        with open(path, "rb") as f:
            data = f.read()
        self.send_response(200)
        self.send_header("Last-Modified",
                         email.utils.formatdate(os.stat(path).st_mtime, usegmt=True))
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(PORTFILE + ".tmp", "w", encoding="utf-8") as out:
    out.write(str(server.server_address[1]))
os.rename(PORTFILE + ".tmp", PORTFILE)
server.serve_forever()
