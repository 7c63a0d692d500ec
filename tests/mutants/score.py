"""Builds the product with one mutant after the other and runs the tests that should notice.

A scratch copy of the committed tree is built once, plainly (-O1, no warnings, no link-time
optimisation); a mutant then costs the compilation of one file and the linking of the tests to run.
The tests run in the order of their duration without a mutant; the first failure ends the mutant. A
test that exceeds its usual duration several times over has failed too. A failure of a slow test, or
at the time limit, counts only when it happens twice.

Mutated programs may do anything, above all kill and delete: every test runs in its own namespaces
(processes, mounts, network), where everything but the scratch folder and an empty /tmp is read-only
and names resolve from the hosts file alone."""
import fnmatch
import json
import os
import re
import signal
import subprocess
import time

import draw
import mutant

PROGRAMS = ('creel', 'creel-rm', 'creel-nm', 'creel-shim', 'creel-task', 'creel-test-lived')
LONG = ('e2e_', 'fault_', 'paper_')  # --quick leaves these out
SLOW_S = 5  # a test that takes longer must fail twice
LIMIT_S, LIMIT_TIMES, LIMIT_MAX_S = 30, 6, 400
INSIDE = '''mount --bind "$1" "$1" && mount -t tmpfs tmpfs /tmp &&
echo 'hosts: files' > /tmp/nsswitch.conf &&
mount --bind /tmp/nsswitch.conf /etc/nsswitch.conf && mount -o remount,bind,ro / &&
ip link set lo up || exit 125
shift; export HOME=/tmp TMPDIR=/tmp; cd /tmp; "$@" </dev/null'''


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors='replace', **more)


def read_tests(path):
    """Name -> command. CTest itself tells no command for a program that is not built yet."""
    with open(path) as f:
        found = re.findall(r'^add_test\(\[=\[(.*?)\]=\] (.*)\)$', f.read(), re.M)
    return {name: re.findall(r'"((?:[^"\\]|\\.)*)"', command) for name, command in found}


class Bench:
    """The scratch copy, its build and its tests."""

    def __init__(self, root, folder, jobs, sanitize):
        self.root, self.folder = root, os.path.realpath(folder)
        self.jobs, self.sanitize = jobs, sanitize
        self.src, self.out = self.folder + '/src', self.folder + '/out'
        self.times_path = self.folder + '/times.json'
        self.changed_path = self.folder + '/changed.json'
        if self.folder.startswith('/tmp/'):
            raise SystemExit('mutate: --dir must lie outside of /tmp: tests see an empty one')
        self.times = {}
        if os.path.exists(self.times_path):
            with open(self.times_path) as f:
                self.times = json.load(f)

    def sync(self, as_is):
        """Brings the copy to the tree's HEAD, unless @as_is; unchanged files keep their times."""
        self.restore()
        if not as_is:
            self.copy()
            head = run(['git', '-C', self.root, 'rev-parse', '--short=12', 'HEAD']).stdout.strip()
            with open(self.folder + '/commit', 'w') as f:
                f.write(head)
        with open(self.folder + '/commit') as f:
            self.commit = f.read()
        self.configure()
        how, _, output = self.boxed(['true'], LIMIT_MAX_S)
        if how != 'ok':  # or each test would fail, and so kill its mutant
            raise SystemExit(f'mutate: no namespaces for tests here:\n{output}')

    def change(self, path, old, new):
        """Writes @new. The old text stays on disk until restore(), in case the run is killed."""
        with open(self.changed_path + '.new', 'w') as f:
            json.dump([path, old], f)
        os.replace(self.changed_path + '.new', self.changed_path)
        with open(path, 'w') as f:
            f.write(new)

    def restore(self):
        if not os.path.exists(self.changed_path):
            return
        with open(self.changed_path) as f:
            path, old = json.load(f)
        if os.path.exists(path):
            with open(path, 'w') as f:
                f.write(old)
        os.unlink(self.changed_path)

    def copy(self):
        names = run(['git', '-C', self.root, 'ls-tree', '-r', '--name-only', 'HEAD'],
                    check=True).stdout.split('\n')
        old = set()
        for top, folders, files in os.walk(self.src):
            old.update(os.path.relpath(f'{top}/{name}', self.src) for name in files)
        fresh = self.folder + '/fresh'
        subprocess.run(['rm', '-rf', fresh], check=True)
        os.makedirs(fresh)
        archive = subprocess.Popen(['git', '-C', self.root, 'archive', 'HEAD'],
                                   stdout=subprocess.PIPE)
        subprocess.run(['tar', '-x', '-C', fresh], stdin=archive.stdout, check=True)
        archive.wait()
        for name in filter(None, names):
            new, at = f'{fresh}/{name}', f'{self.src}/{name}'
            with open(new, 'rb') as f:
                data = f.read()
            same = os.path.exists(at) and open(at, 'rb').read() == data
            if not same:
                os.makedirs(os.path.dirname(at), exist_ok=True)
                with open(at, 'wb') as f:
                    f.write(data)
                os.chmod(at, os.stat(new).st_mode)
        for name in old - set(names):
            os.unlink(f'{self.src}/{name}')
        subprocess.run(['rm', '-rf', fresh], check=True)

    def configure(self):
        more = [f'-DCREEL_SANITIZE={self.sanitize}'] if self.sanitize else []
        done = run(['cmake', '-S', self.src, '-B', self.out, '-G', 'Ninja',
                    '-DCMAKE_BUILD_TYPE=Mutate', '-DCMAKE_C_FLAGS=-O1 -w',
                    '-DCMAKE_EXE_LINKER_FLAGS=-Wl,--strip-debug', '-DCREEL_HA_LEASE_OFF=ON',
                    f'-DCREEL_SOURCE_COMMIT={self.commit}'] + more)
        if done.returncode:
            raise SystemExit(done.stdout)
        self.tests = read_tests(self.out + '/tests/CTestTestfile.cmake')
        targets = run(['ninja', '-C', self.out, '-t', 'targets', 'all']).stdout
        self.targets = set(line.split(':')[0] for line in targets.split('\n'))

    def command(self, test):
        name, _, args = test.partition('=')
        command = list(self.tests[name])
        return command[:1] + args.split(',') if args else command

    def needs(self, test):
        """The targets that must be built before @test is run."""
        names = set()
        for word in self.command(test):
            base = os.path.basename(word)
            if word == self.out + '/bin' or word.startswith(self.src + '/tests') or base == 'ctest':
                names.update(PROGRAMS)
            elif base in self.targets:
                names.add(base)
            elif word.endswith('.a') and base[3:-2] in self.targets:
                names.add(base[3:-2])
        return sorted(name for name in names if name in self.targets)

    def build(self, test):
        return run(['ninja', '-C', self.out, f'-j{self.jobs}'] + self.needs(test))

    def once(self, test, limit):
        return self.boxed(self.command(test), limit)

    def boxed(self, command, limit):
        """Returns how it ended (ok, failed, timeout or skipped), its seconds and its output."""
        # The same variables as creel_script_test() sets
        env = dict(os.environ, CREEL_BIN=self.out + '/bin', CREEL_SOURCE=self.src)
        spaces = '-Urmpn' if os.geteuid() else '-mpn'
        inside = ['unshare', spaces, '--fork', '--kill-child', '--mount-proc']
        start = time.time()
        child = subprocess.Popen(inside + ['sh', '-c', INSIDE, 'sh', self.folder] + command,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env,
                                 start_new_session=True)
        try:
            output, _ = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return 'timeout', time.time() - start, ''
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        how = {0: 'ok', 77: 'skipped'}.get(child.returncode, 'failed')
        return how, time.time() - start, output.decode(errors='replace')

    def limit(self, test):
        return min(LIMIT_MAX_S, LIMIT_S + LIMIT_TIMES * self.times[test])

    def measure(self, test):
        """The time of @test without a mutant; None when it does not pass here."""
        if test not in self.times:
            built = self.build(test)
            if built.returncode:
                raise SystemExit(f'mutate: {test} does not build:\n{built.stdout[-3000:]}')
            for _ in range(2):
                how, seconds, output = self.once(test, LIMIT_MAX_S)
                if how == 'ok':
                    break
            else:
                print(f'mutate: {test} is left out: {how} without a mutant\n{output[-2000:]}',
                      flush=True)
            self.times[test] = round(seconds, 2) if how == 'ok' else None
            with open(self.times_path, 'w') as f:
                json.dump(self.times, f, indent=1, sort_keys=True)
        return self.times[test]

    def tests_for(self, path, patterns, quick):
        """The tests that should notice a mutant of @path: by longest pattern, then by duration."""
        names, rank = [], {}
        for pattern, tests in sorted(patterns, key=lambda p: -len(p[0])):
            for test in tests if fnmatch.fnmatch(path, pattern) else ():
                name, _, args = test.partition('=')
                globs = any(ch in name for ch in '*?[')
                for known in sorted(self.tests) if globs else [name] * (name in self.tests):
                    if known in rank or not fnmatch.fnmatch(known, name) \
                            or (quick and known.startswith(LONG)):
                        continue
                    rank[known] = -len(pattern)
                    names.append(known + ('=' + args if args else ''))
        return sorted((n for n in names if self.measure(n) is not None),
                      key=lambda n: (rank[n.partition('=')[0]], self.times[n]))

    def judge(self, one, tests):
        """Returns the status (killed, survived, unbuilt; gone: its line is), the test, and how."""
        path = f'{self.src}/{one.path}'
        if not os.path.exists(path):
            return 'gone', None, None
        with open(path) as f:
            text = f.read()
        changed = mutant.apply(one, text)
        if changed is None:
            return 'gone', None, None
        try:
            self.change(path, text, changed)
            for test in tests:
                built = self.build(test)
                if built.returncode:
                    self.restore()
                    if self.build(test).returncode:
                        raise SystemExit(f'mutate: {test} does not build:\n{built.stdout[-3000:]}')
                    lines = built.stdout.split('\n')
                    return 'unbuilt', None, next((x for x in lines if 'error' in x), '')[:200]
                how, seconds, _ = self.once(test, self.limit(test))
                if how not in ('failed', 'timeout'):
                    continue
                if how == 'timeout' or self.times[test] > SLOW_S:
                    how, _, _ = self.once(test, self.limit(test))
                if how in ('failed', 'timeout'):
                    return 'killed', test, how
            return 'survived', None, None
        finally:
            self.restore()


def read_map(path):
    patterns = []
    with open(path) as f:
        for line in f:
            words = line.split('#')[0].split()
            if words:
                patterns.append((words[0], words[1:]))
    return patterns


def read_equivalent(path):
    """ID -> reason."""
    reasons = {}
    if os.path.exists(path):
        with open(path) as f:
            for line in f:
                if line.strip() and not line.startswith('#'):
                    name, reason = line.split(None, 1)
                    reasons[name] = reason.strip()
    return reasons


def score(bench, mutants, quotas, patterns, equivalent, results, done, only_tests, quick=False):
    """Runs @mutants and appends a line of JSON for each to the file @results.

    @done: mutants that already have a result, by name."""
    left = dict(quotas)
    for one in mutants:
        part = draw.part_of(one.path)
        if quotas and left.get(part, 0) <= 0:
            continue
        row = {'name': one.name, 'part': part, 'kind': one.kind, 'path': one.path,
               'function': one.function, 'what': one.short(), 'commit': bench.commit}
        start = time.time()
        if one.name in equivalent:
            row.update(status='equivalent', how=equivalent[one.name], test=None)
        elif one.name in done:
            row = done[one.name]
        else:
            tests = [t for t in only_tests if bench.measure(t) is not None] if only_tests \
                else bench.tests_for(one.path, patterns, quick)
            row['status'], row['test'], row['how'] = bench.judge(one, tests)
        if row['status'] in ('killed', 'survived'):
            left[part] = left.get(part, 0) - 1
        if one.name not in done or one.name in equivalent:
            row['seconds'] = round(time.time() - start, 1)
            with open(results, 'a') as f:
                f.write(json.dumps(row) + '\n')
            print(f"{row['status']:9} {row['seconds']:6} s  "
                  f"{one.name} {one.path} {one.function}: {one.short()}"
                  f"{'  by ' + row['test'] if row['test'] else ''}", flush=True)
    for part, n in left.items():
        if quotas and n > 0:
            print(f'mutate: {part}: {n} more mutants are wanted than the list holds')
