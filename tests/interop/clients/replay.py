#!/usr/bin/env python3
"""Replays what real YARN HTTP clients send to a ResourceManager (RM) and its NodeManagers (NM), and
checks that each answer holds what the client reads. Python 3.8+ standard library only.

  replay.py --rm http://127.0.0.1:8088 [--nm http://127.0.0.1:8042] [--client NAME]...
            [--case TEXT] [--read-only] [--strict] [-v] [--list]

Each *.json beside this file describes one client. Exit status: 0 no failure, 1 a case failed (or,
with --strict, was skipped), 2 bad usage. --read-only skips the cases marked "writes". --data DIR
reads the files of another folder.

FORMAT of a file: {"client", "about", "headers": sent with every request, "timeout_s",
"cases": [case...]}
  case: {"name", "needs": [state...], "writes": bool, "steps": [step...]}, or a step's own keys
     instead of "steps".
  state: any|idle|app_running|app_accepted|app_finished|app_failed|app_killed|app_ended|node|nm|
     container|container_log|capacity|fair|scheduler_conf|node_labels|proxied_mapreduce|
     simple_auth|default_ports (RM on 8088). A missing one makes the case SKIPPED, not passed.
     A {placeholder} in a request or an expectation is a need of the same name.
  step: {"request": {"method", "target": "rm"|"nm"|"node"|"url", "path", "headers", "body",
         "follow": bool}, "expect": {...}, "capture": {"name": SOURCE},
         "until": {"path", "in": [...] or "match": regex, "within_s", "every_s"}}
     target: rm = --rm; nm = the NM of --nm, else of the container in use, else the first; url =
     "path" is a whole URL.
     body: a string, or JSON which is sent as compact JSON. A header set to null is not sent.
     follow: redirects (default true for GET).
     SOURCE: a PATH into the JSON body, or "header NAME REGEX-with-one-group".
     until: repeat the step until PATH's value is one of "in", or matches the regex "match".
  expect: {"status": n or [n...], "content_type": regex, "headers": {name: regex},
           "body": [ASSERTION...], "text": [REGEX...], "not_text": [REGEX...],
           "xml": ["path ~ regex"...], "empty": true}
ASSERTION: "PATH TYPES [OPERATOR]"
  PATH   dot separated keys; [*] every element (none or no array at all is fine), [+] every element
         and at least one, [k=v] the elements whose k is v (at least one), [k=v]! exactly one,
         [k~regex] likewise by regex, [**a.b] this and all descendants found by repeating the path
         a.b, @json parses a string that holds JSON, @keys the list of keys, @self the value itself.
  TYPES  int (no decimal point, no exponent) num str bool null array object any, joined by |; a ? at
         the end: the key may be absent; absent: the key must not exist; numeric-except(REGEX): an
         object all of whose values are numbers but for keys matching REGEX.
  OPERATOR  in A|B|C   ~ REGEX   !~ REGEX   == VALUE (JSON)   >= N   > N   unique (no value twice)
"""

import argparse, glob, http.client, json, os, re, sys, time, urllib.parse, zlib
import xml.etree.ElementTree as ET


class Fail(Exception):
    pass


class Skip(Exception):
    pass


MISSING = object()


# ---------------------------------------------------------------- JSON paths
def tokens(path):
    out, i = [], 0
    while i < len(path):
        if path[i] == '.':
            i += 1
        elif path[i] == '[':
            depth, j = 0, i
            while True:
                depth += (path[j] == '[') - (path[j] == ']')
                if depth == 0:
                    break
                j += 1
            only = path[j + 1 : j + 2] == '!'
            out.append(('[', path[i + 1 : j], only))
            i = j + 1 + only
        else:
            j = i
            while j < len(path) and path[j] not in '.[':
                j += 1
            out.append(('k', path[i:j], False))
            i = j
    return out


def strict_json(text):
    def bad(c):
        raise ValueError('%s is not JSON' % c)

    return json.loads(text, parse_constant=bad)


def descend(values, inner):
    out, todo = [], [(w, v) for w, v in values]
    while todo:
        w, v = todo.pop(0)
        out.append((w, v))
        todo += [(w2, v2) for w2, v2 in select(v, inner + '[*]', w) if v2 is not MISSING]
    return out


def select(doc, path, where=''):
    """-> [(where, value or MISSING)]; raises Fail where an element that must exist does not."""
    cur = [(where, doc)]
    for kind, arg, only in tokens(path):
        nxt = []
        if kind == '[' and arg.startswith('**'):
            cur = descend([c for c in cur if c[1] is not MISSING], arg[2:])
            continue
        for w, v in cur:
            if v is MISSING:
                if arg != '*':
                    nxt.append((w, v))
                continue
            if kind == 'k':
                here = w + '.' + arg if w else arg
                if arg == '@self':
                    nxt.append((w, v))
                elif arg == '@json':
                    if not isinstance(v, str):
                        raise Fail('%s: not a string that holds JSON' % w)
                    try:
                        nxt.append((w, strict_json(v)))
                    except ValueError as e:
                        raise Fail('%s: does not hold JSON (%s)' % (w, e))
                elif arg == '@keys':
                    if not isinstance(v, dict):
                        raise Fail('%s: not an object' % w)
                    nxt.append((w, list(v)))
                elif isinstance(v, dict):
                    nxt.append((here, v.get(arg, MISSING)))
                elif v is None:
                    nxt.append((here, MISSING))
                else:
                    raise Fail('%s: is %s, not an object with "%s"' % (w or 'body', kindof(v), arg))
            else:
                if v is None and arg == '*':
                    continue
                if not isinstance(v, list):
                    raise Fail('%s: is %s, not an array' % (w or 'body', kindof(v)))
                if arg in '*+':
                    if arg == '+' and not v:
                        raise Fail('%s: empty array' % w)
                    nxt += [('%s[%d]' % (w, i), x) for i, x in enumerate(v)]
                else:
                    m = re.match(r'([^=~]+)([=~])(.*)$', arg, re.S)
                    k, op, want = m.groups()
                    hit = [
                        ('%s[%s]' % (w, arg), x)
                        for x in v
                        if isinstance(x, dict)
                        and (
                            str(x.get(k)) == want
                            if op == '='
                            else re.search(want, str(x.get(k, '')))
                        )
                    ]
                    if not hit:
                        nxt.append(('%s[%s]' % (w, arg), MISSING))
                    if only and len(hit) > 1:
                        raise Fail('%s[%s]: %d elements, expected one' % (w, arg, len(hit)))
                    nxt += hit
        cur = nxt
    return cur


def kindof(v):
    return {
        bool: 'bool',
        int: 'int',
        float: 'float',
        str: 'str',
        list: 'array',
        dict: 'object',
        type(None): 'null',
    }[type(v)]


def show(v):
    s = json.dumps(v)
    return s if len(s) < 70 else s[:67] + '...'


def is_type(v, t):
    k = kindof(v)
    return t == 'any' or k == t or (t == 'num' and k in ('int', 'float'))


def check_assertion(doc, text):
    m = re.match(
        r'(\S+) +(numeric-except\(.*\)|[a-z|]+\??)(?: +(in|~|!~|==|>=|>|unique)(?: (.*))?)?$',
        text,
        re.S,
    )
    if not m:
        raise SystemExit('bad assertion in data file: %r' % text)
    path, types, op, arg = m.groups()
    may_lack = types.endswith('?')
    types = types.rstrip('?')
    seen = set()
    for where, v in select(doc, path):
        if types == 'absent':
            if v is not MISSING:
                raise Fail('%s: present (%s), must be absent' % (where, show(v)))
            continue
        if v is MISSING:
            if may_lack:
                continue
            raise Fail('%s: absent' % where)
        if types.startswith('numeric-except'):
            rx = types[len('numeric-except(') : -1]
            if not isinstance(v, dict):
                raise Fail('%s: not an object' % where)
            for k, x in v.items():
                if not re.search(rx, k) and not is_type(x, 'num'):
                    raise Fail('%s.%s: %s, expected a number' % (where, k, show(x)))
            continue
        if not any(is_type(v, t) for t in types.split('|')):
            raise Fail('%s: %s is %s, expected %s' % (where, show(v), kindof(v), types))
        if op == 'unique':
            if str(v) in seen:
                raise Fail('%s: %s occurs twice' % (where, show(v)))
            seen.add(str(v))
        if op == 'in' and str(v) not in arg.split('|'):
            raise Fail('%s: %s, expected one of %s' % (where, show(v), arg))
        if op == '~' and not re.search(arg, str(v)):
            raise Fail('%s: %s does not match %s' % (where, show(v), arg))
        if op == '!~' and re.search(arg, str(v)):
            raise Fail('%s: %s matches %s' % (where, show(v), arg))
        if op == '==' and v != json.loads(arg):
            raise Fail('%s: %s, expected %s' % (where, show(v), arg))
        if op == '>=' and not v >= float(arg):
            raise Fail('%s: %s, expected >= %s' % (where, show(v), arg))
        if op == '>' and not v > float(arg):
            raise Fail('%s: %s, expected > %s' % (where, show(v), arg))


# ---------------------------------------------------------------- HTTP
class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def header(self, name):
        return ', '.join(v for k, v in self.headers if k.lower() == name.lower())

    def text(self):
        return self.body.decode('utf-8', 'replace')


def send(method, url, headers, body, follow, timeout):
    for hop in range(6):
        u = urllib.parse.urlsplit(url)
        cls = http.client.HTTPSConnection if u.scheme == 'https' else http.client.HTTPConnection
        c = cls(u.hostname, u.port, timeout=timeout)
        try:
            c.putrequest(
                method,
                (u.path or '/') + ('?' + u.query if u.query else ''),
                skip_accept_encoding=True,
            )
            for k, v in headers.items():
                if v is not None:
                    c.putheader(k, v)
            data = body.encode() if body is not None else None
            if data is not None or method in ('POST', 'PUT'):
                c.putheader('Content-Length', str(len(data or b'')))
            c.endheaders(data or None)
            r = c.getresponse()
            raw = r.read()
            hs = r.getheaders()
        except (OSError, http.client.HTTPException) as e:
            raise Fail('%s %s: %s' % (method, url, e or type(e).__name__))
        finally:
            c.close()
        rep = Reply(r.status, hs, raw)
        enc = rep.header('Content-Encoding').lower()
        if enc == 'gzip':
            rep.body = zlib.decompress(raw, 47)
        elif enc == 'deflate':
            rep.body = zlib.decompress(raw)
        if follow and r.status in (301, 302, 303, 307, 308) and rep.header('Location'):
            url = urllib.parse.urljoin(url, rep.header('Location'))
            continue
        return rep
    raise Fail('%s: more than 5 redirects' % url)


# ---------------------------------------------------------------- what the cluster offers
class Cluster:
    def __init__(self, rm, nm):
        self.rm, self.have, self.why = rm.rstrip('/'), {}, {}
        self.have.update(
            any='',
            now_ms=str(int(time.time() * 1000)),
            hour_ago_ms=str(int(time.time() * 1000) - 3600000),
            rm=self.rm,
            rm_authority=urllib.parse.urlsplit(self.rm).netloc,
        )
        if urllib.parse.urlsplit(self.rm).port == 8088:
            self.have['default_ports'] = ''
        else:
            self.why['default_ports'] = 'the RM is not on port 8088'
        apps = self.elements('/ws/v1/cluster/apps', 'apps', 'app')
        by = {}
        for a in sorted((a for a in apps if isinstance(a, dict)), key=lambda a: str(a.get('id'))):
            by.setdefault(a.get('state'), []).append(a)

        def put(name, group, why):
            if group:
                self.have[name] = str(group[-1].get('id'))
            else:
                self.why[name] = why

        run = [
            a for a in by.get('RUNNING', []) if a.get('applicationType') != 'MAPREDUCE'
        ] or by.get('RUNNING', [])
        # an application with containers besides its master's first
        run.sort(
            key=lambda a: (
                (a.get('runningContainers') or 0)
                if isinstance(a.get('runningContainers'), int)
                else 0
            )
        )
        put('app_running', run, 'no RUNNING application')
        put('app_accepted', by.get('ACCEPTED'), 'no ACCEPTED application')
        put(
            'app_finished',
            [a for a in by.get('FINISHED', []) if a.get('finalStatus') == 'SUCCEEDED'],
            'no FINISHED application that SUCCEEDED',
        )
        put(
            'app_failed',
            by.get('FAILED')
            or [a for a in by.get('FINISHED', []) if a.get('finalStatus') == 'FAILED'],
            'no FAILED application',
        )
        put('app_killed', by.get('KILLED'), 'no KILLED application')
        put(
            'app_ended',
            by.get('FINISHED', []) + by.get('FAILED', []) + by.get('KILLED', []),
            'no ended application',
        )
        put('app_any', apps, 'no application')
        live = [
            a
            for a in apps
            if isinstance(a, dict) and a.get('state') not in ('FINISHED', 'FAILED', 'KILLED')
        ]
        if live:
            self.why['idle'] = 'the cluster has live applications'
        else:
            self.have['idle'] = ''
        if run:
            self.have['user_running'], self.have['name_running'] = str(run[-1].get('user')), str(
                run[-1].get('name')
            )
        else:
            self.why['user_running'] = self.why['name_running'] = 'no RUNNING application'
        mr = [
            a
            for a in by.get('RUNNING', [])
            if a.get('applicationType') == 'MAPREDUCE' and a.get('trackingUrl')
        ]
        if mr:
            self.have['proxied_mapreduce'] = str(mr[-1]['trackingUrl']).rstrip('/')
            self.have['app_mapreduce'] = mr[-1]['id']
        else:
            self.why['proxied_mapreduce'] = self.why['app_mapreduce'] = (
                'no RUNNING application of type MAPREDUCE'
            )
        nodes = [
            n
            for n in self.elements('/ws/v1/cluster/nodes', 'nodes', 'node')
            if isinstance(n, dict) and n.get('state') == 'RUNNING'
        ]
        if nodes:
            self.have.update(
                node=str(nodes[0].get('id')), node_host=str(nodes[0].get('nodeHostName'))
            )
        else:
            self.why['node'] = self.why['node_host'] = 'no RUNNING node'
        self.attempts()
        nms = (
            [nm.rstrip('/')]
            if nm
            else ['http://%s' % n['nodeHTTPAddress'] for n in nodes if n.get('nodeHTTPAddress')]
        )
        self.have_nm(nms)
        self.scheduler()
        self.other()

    def get(self, path, base=None, accept='application/json'):
        try:
            r = send('GET', (base or self.rm) + path, {'Accept': accept}, None, True, 15)
            return r if r.status == 200 else None
        except Fail:
            return None

    def json(self, path, base=None):
        r = self.get(path, base)
        try:
            return strict_json(r.text()) if r else None
        except ValueError:
            return None

    def elements(self, path, outer, inner):
        d = self.json(path)
        d = d.get(outer) if isinstance(d, dict) else None
        d = d.get(inner) if isinstance(d, dict) else None
        return d if isinstance(d, list) else []

    def attempts(self):
        self.why['attempt_running'] = self.why['container'] = 'no RUNNING application'
        app = self.have.get('app_running')
        if not app:
            return
        d = self.json('/ws/v1/cluster/apps/%s/appattempts' % app)
        try:
            self.have['attempt_running'] = d['appAttempts']['appAttempt'][-1]['appAttemptId']
        except (TypeError, KeyError, IndexError):
            self.why['attempt_running'] = (
                'no appAttempts.appAttempt[].appAttemptId for the RUNNING application'
            )

    def have_nm(self, nms):
        for k in ('nm', 'container', 'container_log'):
            self.why[k] = 'no NodeManager answers /ws/v1/node/info'
        best = None
        for base in nms:
            if not self.json('/ws/v1/node/info', base):
                continue
            d = self.json('/ws/v1/node/containers', base)
            try:
                cs = [c for c in d['containers']['container'] if c.get('state') == 'RUNNING']
            except (TypeError, KeyError, AttributeError):
                cs = []
            app = self.have.get('app_running', '').replace('application_', '')
            cs.sort(key=lambda c: (bool(app) and app in str(c.get('id')), str(c.get('id'))))
            rank = (bool(cs) and bool(app) and app in str(cs[-1].get('id')), bool(cs))
            if best is None or rank > best[0]:
                best = (rank, base, cs)
        if not best:
            return
        self.have['nm'] = best[1]
        if not best[2]:
            self.why['container'] = self.why['container_log'] = 'no RUNNING container on that node'
            return
        c = best[2][-1]
        self.have['container'] = str(c.get('id'))
        self.have['container_user'] = str(c.get('user'))
        m = re.match(r'container_(?:e\d+_)?(\d+_\d+)_', self.have['container'])
        self.have['app_of_container'] = 'application_' + m.group(1) if m else ''
        files = [f for f in c.get('containerLogFiles') or [] if isinstance(f, str)]
        pick = [f for f in ('stdout', 'prelaunch.out', 'stderr') if f in files] or files
        if pick:
            self.have['container_log'] = pick[0]
        else:
            self.why['container_log'] = 'the container lists no log file'

    def scheduler(self):
        for k in ('capacity', 'fair'):
            self.why[k] = 'GET /ws/v1/cluster/scheduler names another scheduler'
        d = self.json('/ws/v1/cluster/scheduler')
        try:
            info = d['scheduler']['schedulerInfo']
            kind = info['type']
        except (TypeError, KeyError):
            return
        if kind == 'capacityScheduler':
            self.have['capacity'] = ''
        if kind == 'fairScheduler':
            self.have['fair'] = ''

        def leaf(q):
            kids = q.get('queues') or q.get('childQueues') or {}
            kids = kids.get('queue') if isinstance(kids, dict) else None
            return (
                leaf(kids[0])
                if isinstance(kids, list) and kids and isinstance(kids[0], dict)
                else q
            )

        self.why['queue'] = self.why['queue_path'] = (
            'no leaf queue with queueName and queuePath found'
        )
        try:
            q = leaf(info.get('rootQueue') or info)
            self.have['queue'] = str(q['queueName']).split('.')[-1]
            if isinstance(q.get('queuePath'), str):
                self.have['queue_path'] = q['queuePath']
        except (KeyError, AttributeError):
            pass

    def other(self):
        d = self.json('/ws/v1/cluster/scheduler-conf')
        if isinstance(d, dict) and 'property' in d:
            self.have['scheduler_conf'] = ''
        else:
            self.why['scheduler_conf'] = (
                'GET /ws/v1/cluster/scheduler-conf shows no mutable configuration'
            )
        d = self.json('/conf?name=yarn.node-labels.enabled')
        if (
            isinstance(d, dict)
            and isinstance(d.get('property'), dict)
            and d['property'].get('value') == 'true'
        ):
            self.have['node_labels'] = ''
        else:
            self.why['node_labels'] = 'yarn.node-labels.enabled is not true'
        d = self.json('/conf?name=hadoop.http.authentication.type')
        if (
            isinstance(d, dict)
            and isinstance(d.get('property'), dict)
            and d['property'].get('value') not in (None, 'simple')
        ):
            self.why['simple_auth'] = 'HTTP authentication is not simple'
        else:
            self.have['simple_auth'] = ''


# ---------------------------------------------------------------- cases
def fill(x, values):
    if isinstance(x, str):
        return re.sub(
            r'\{([a-z_]+)\}',
            lambda m: values[m.group(1)] if m.group(1) in values else m.group(0),
            x,
        )
    if isinstance(x, dict):
        return {fill(k, values): fill(v, values) for k, v in x.items()}
    if isinstance(x, list):
        return [fill(v, values) for v in x]
    return x


def needs_of(case):
    names = set(case.get('needs', []))
    captured = set()
    for s in case.get('steps') or [case]:
        names |= (
            set(re.findall(r'\{([a-z_]+)\}', json.dumps([s.get('request'), s.get('expect')])))
            - captured
        )
        if s['request'].get('target') == 'nm':
            names.add('nm')
        captured |= set(s.get('capture', {}))
    return names


def check(step, rep, values):
    e = fill(step.get('expect', {}), values)
    want = e.get('status', 200)
    want = want if isinstance(want, list) else [want]
    if rep.status not in want:
        raise Fail(
            'status %d, expected %s; body %s'
            % (rep.status, '/'.join(map(str, want)), show(rep.text()[:60]))
        )
    if 'content_type' in e and not re.search(e['content_type'], rep.header('Content-Type')):
        raise Fail(
            'Content-Type "%s", expected %s' % (rep.header('Content-Type'), e['content_type'])
        )
    for k, rx in e.get('headers', {}).items():
        if not re.search(rx, rep.header(k)):
            raise Fail('header %s: "%s", expected %s' % (k, rep.header(k), rx))
    if e.get('empty') and rep.body.strip():
        raise Fail('body not empty: %s' % show(rep.text()[:60]))
    for rx in e.get('text', []):
        if not re.search(rx, rep.text()):
            raise Fail('body has no match for %s' % rx)
    for rx in e.get('not_text', []):
        if re.search(rx, rep.text()):
            raise Fail('body matches %s' % rx)
    if 'xml' in e:
        try:
            root = ET.fromstring(rep.body)
        except ET.ParseError as x:
            raise Fail('body is not XML: %s' % x)
        for a in e['xml']:
            path, rx = a.split(' ~ ', 1)
            first, _, rest = path.partition('/')
            if root.tag != first:
                raise Fail('XML root <%s>, expected <%s>' % (root.tag, first))
            got = root.findall(rest) if rest else [root]
            if not got:
                raise Fail('XML %s: absent' % path)
            for x in got:
                if not re.search(rx, x.text or ''):
                    raise Fail('XML %s: "%s" does not match %s' % (path, x.text, rx))
    if (
        e.get('body') is not None
        or any(not str(v).startswith('header ') for v in step.get('capture', {}).values())
        or 'until' in step
    ):
        try:
            doc = strict_json(rep.text())
        except ValueError as x:
            raise Fail('body is not JSON (%s): %s' % (x, show(rep.text()[:60])))
        for a in e.get('body', []):
            check_assertion(doc, a)
        return doc


def run_case(case, data, cluster):
    for n in sorted(needs_of(case)):
        if n not in cluster.have:
            raise Skip(cluster.why.get(n, 'cluster does not offer "%s"' % n))
    values = dict(cluster.have)
    steps = case.get('steps') or [case]
    for i, step in enumerate(steps):
        q = step['request']
        method = q.get('method', 'GET')
        headers = dict(data.get('headers', {}))
        headers.update(q.get('headers', {}))
        headers = {k: fill(v, values) for k, v in headers.items() if v is not None}
        body = q.get('body')
        if body is not None:
            body = fill(body, values)
            body = body if isinstance(body, str) else json.dumps(body)
        target = q.get('target', 'rm')
        path = fill(q['path'], values)
        url = (
            path
            if target == 'url'
            else (cluster.have['nm'] if target == 'nm' else cluster.rm) + path
        )
        until = step.get('until')
        end = time.time() + (until or {}).get('within_s', 0)
        tag = ('step %d, ' % (i + 1) if len(steps) > 1 else '') + '%s %s: ' % (method, url)
        try:
            while True:
                rep = send(
                    method,
                    url,
                    headers,
                    body,
                    q.get('follow', method == 'GET'),
                    data.get('timeout_s', 20),
                )
                doc = check(step, rep, values)
                if not until:
                    break
                got = [v for _, v in select(doc, until['path'])]
                if got and all(
                    g is not MISSING
                    and (
                        str(g) in until.get('in', [])
                        or ('match' in until and re.search(until['match'], str(g)))
                    )
                    for g in got
                ):
                    break
                if time.time() > end:
                    raise Fail(
                        '%s is %s after %d s, expected %s'
                        % (
                            until['path'],
                            show([None if g is MISSING else g for g in got]),
                            until['within_s'],
                            until.get('match') or '|'.join(until['in']),
                        )
                    )
                time.sleep(until.get('every_s', 0.5))
            for name, src in step.get('capture', {}).items():
                if src.startswith('header '):
                    _, h, rx = src.split(' ', 2)
                    m = re.search(rx, rep.header(h))
                    if not m:
                        raise Fail('header %s: "%s", expected %s' % (h, rep.header(h), rx))
                    values[name] = m.group(1)
                else:
                    got = [v for _, v in select(doc, src) if v is not MISSING]
                    if not got:
                        raise Fail('%s: absent' % src)
                    values[name] = str(got[-1])
        except Fail as f:
            raise Fail(tag + str(f))


def main():
    ap = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ap.add_argument('--rm', required=True)
    ap.add_argument('--nm')
    ap.add_argument('--client', action='append')
    ap.add_argument('--case')
    ap.add_argument('--read-only', action='store_true')
    ap.add_argument('--strict', action='store_true')
    ap.add_argument('-v', action='store_true')
    ap.add_argument('--list', action='store_true')
    ap.add_argument('--data', default=os.path.dirname(os.path.abspath(__file__)))
    a = ap.parse_args()
    files = sorted(glob.glob(os.path.join(a.data, '*.json')))
    clients = [json.load(open(f)) for f in files]
    if a.client:
        clients = [c for c in clients if c['client'] in a.client]
    if not clients:
        print('no client data', file=sys.stderr)
        return 2
    if a.list:
        for c in clients:
            for k in c['cases']:
                print(
                    '%-22s %-60s needs %s'
                    % (c['client'], k['name'], ' '.join(sorted(needs_of(k)) or ['-']))
                )
        return 0
    rows, bad = [], False
    for d in clients:
        n = dict(passed=0, failed=0, skipped=0)
        first = {}
        for case in d['cases']:
            if a.case and a.case not in case['name']:
                continue
            try:
                if a.read_only and case.get('writes'):
                    raise Skip('writes, and --read-only is set')
                # asked anew for each case: a case may end the application another one would use
                run_case(case, d, Cluster(a.rm, a.nm))
                res, why = 'passed', ''
            except Fail as f:
                res, why = 'failed', str(f)
            except Skip as s:
                res, why = 'skipped', str(s)
            n[res] += 1
            if why:
                first.setdefault(res, '%s: %s' % (case['name'], why))
            if a.v or res == 'failed':
                print(
                    '%-7s %s / %s%s'
                    % (res.upper(), d['client'], case['name'], ': ' + why if why else '')
                )
        rows.append((d['client'], n, first))
        bad |= n['failed'] > 0 or (a.strict and n['skipped'] > 0)
    print('\n%-22s %6s %6s %7s' % ('client', 'passed', 'failed', 'skipped'))
    for name, n, first in rows:
        print(
            '%-22s %6d %6d %7d  %s'
            % (
                name,
                n['passed'],
                n['failed'],
                n['skipped'],
                (
                    ('first failed: ' + first['failed'][:150])
                    if 'failed' in first
                    else ('first skipped: ' + first['skipped'][:110]) if 'skipped' in first else ''
                ),
            )
        )
    print(
        '%-22s %6d %6d %7d'
        % ('all', *(sum(r[1][k] for r in rows) for k in ('passed', 'failed', 'skipped')))
    )
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
