# tests/deploy/cgroup2_guest.sh - what tests/deploy/cgroup2 runs in its virtual machine, as root.
# The last line is "ok everything" when all is well.
set -euo pipefail
export LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
fail() {
    echo "FAIL: $*"
    journalctl --no-pager -n 40 -u 'creel-*'
    exit 1
}
check_equal() { [[ $1 == "$2" ]] || fail "$3: '$1' is not '$2'"; }
wait_for() { # SECONDS WHAT COMMAND...
    local until=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" > /dev/null 2>&1; do
        ((SECONDS < until)) || fail "no $what in time"
        sleep 0.2
    done
}
echo "Linux $(uname -r), $(systemctl --version | head -n 1)"
check_equal "$(stat -fc %T /sys/fs/cgroup)" cgroup2fs "what is mounted"

# --- the tests of isolation
run() { # COMMAND...
    local rc=0
    "$@" > /tmp/said 2>&1 || rc=$?
    ((rc == 0)) || {
        cat /tmp/said
        find /tmp /run/creel-exec-test -name '*.log' -exec tail -n 20 {} + 2> /dev/null || true
        fail "$* exits $rc"
    }
    echo "ok $*"
}
cd /creel/bin
export CREEL_CONF_DIR=/creel # without the configuration that is installed
run ./test_nm_isolation
run ./test_nm_cgroup
run ./test_nm_cgroup_host /creel/bin
run ./test_nm_users /creel/bin none
run ./test_nm_users /creel/bin cgroup

# --- the packages
unset CREEL_CONF_DIR
useradd --create-home alice
daemon() { runuser -u creel -- env HOME=/var/lib/creel creel "$@"; }
alice() { runuser -u alice -- env HOME=/home/alice creel "$@"; }
wait_for 60 "ResourceManager" daemon rmadmin status
runuser -u alice -- install -d -m 0700 /home/alice/.config/creel
daemon token --new --user alice --expires 30d > /root/token
install -m 0600 -o alice -g alice /root/token /home/alice/.config/creel/token
node_runs() { alice node list | grep -q RUNNING; }
wait_for 60 "running node" node_runs
check_equal "$(alice run -- id -un)" alice "the user of a container"
[[ $(alice run -- cat /proc/self/cgroup) == 0::/creel.slice/containers/container_* ]] ||
    fail "the group of a container: $(alice run -- cat /proc/self/cgroup)"
echo "ok first command"
hog=$(alice job submit --task 'dd if=/dev/zero of=/dev/null bs=300M count=1')
! alice job wait "$hog" > /dev/null 2>&1 || fail "a job may use more memory than it was given"
alice job status "$hog" > /tmp/said
alice job status "$hog" --tasks >> /tmp/said
grep -q PHYSICAL /tmp/said || fail "the reason: $(cat /tmp/said)"
echo "ok memory"

# --- started anew under running containers: by an administrator, and after a crash
mkdir -m 1777 /srv/job
held=$(alice job submit --task 'echo $$ >> /srv/job/pids
    until [ -e /srv/job/go ]; do sleep 0.2; done; echo done >> /srv/job/done' --count 2)
both_run() { [[ $(wc -l < /srv/job/pids) == 2 ]]; }
wait_for 30 "running tasks" both_run
pid() { systemctl show --property=MainPID --value creel-nm; }
other_runs() { systemctl is-active --quiet creel-nm && [[ $(pid) != "$before" ]]; }
for how in "systemctl restart creel-nm" "systemctl kill --kill-who=main --signal=KILL creel-nm"; do
    before=$(pid)
    $how || fail "$how"
    wait_for 60 "NodeManager after $how" other_runs
    wait_for 60 "node after $how" node_runs
    for container in $(cat /srv/job/pids); do
        kill -0 "$container" || fail "$how has ended process $container"
    done
done
touch /srv/job/go
alice job wait "$held" > /dev/null 2>&1 || fail "the job under the restarts fails"
check_equal "$(wc -l < /srv/job/done)" 2 "tasks that have run once"
echo "ok restarts"

# --- removed
alice job submit --task 'exec sleep 4321' > /dev/null
sleeps() { pgrep -u alice -x sleep; }
wait_for 30 "running container" sleeps
apt-get -q -y purge creel-nodemanager > /tmp/said 2>&1 || { cat /tmp/said; fail "purge"; }
! sleeps || fail "the purge leaves a process"
[[ ! -d /sys/fs/cgroup/creel.slice/containers ]] || fail "the purge leaves a group"
echo "ok removal"
echo "ok everything"
