#!/usr/bin/env python3
"""A small web server for launch_context.sh: resource_server.py FOLDER LOG PORTFILE

Serves the files of FOLDER with their times, logs each path to LOG, and has some paths of its own:
  /to/PATH      302 to /PATH                /to-file      302 to file:///etc/hostname
  /round        302 to itself               /endless      never stops sending
  /slow         sends a little, then waits  /missing      404"""
import email.utils
import http.server
import os
import sys
import time

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
        if self.path.startswith("/to/"):
            self.redirect(self.path[3:])
        elif self.path == "/to-file":
            self.redirect("file:///etc/hostname")
        elif self.path == "/round":
            self.redirect("/round")
        elif self.path in ("/endless", "/slow"):
            self.pour(0 if self.path == "/endless" else 0.2)
        else:
            self.send_file(os.path.join(FOLDER, os.path.basename(self.path)))

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
