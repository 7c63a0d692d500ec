# tests/deploy/tree.sh - sourced by the tests of the packages: Debian trees, booted with systemd by
# systemd-nspawn, in which the packages are installed. Needs root, mmdebstrap, systemd-container and
# the mirror that apt uses here. Ends only what it started.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
WORK=$(mktemp -d "${TMPDIR:-/var/tmp}/creel-deploy.XXXXXX")
declare -A init_of=() nspawn_of=() # name of a tree -> pids of its systemd, and of systemd-nspawn

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAIL: $*" >&2; exit 1; }
check_equal() { [[ $1 == "$2" ]] || fail "$3: '$1' is not '$2'"; }
# wait_for SECONDS WHAT COMMAND...: polls until COMMAND succeeds.
wait_for() {
    local until=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" > /dev/null 2>&1; do
        ((SECONDS < until)) || fail "no $what in time"
        sleep 0.2
    done
}

((EUID == 0)) || skip "needs root"
for program in mmdebstrap systemd-nspawn dpkg-deb jq; do
    command -v $program > /dev/null ||
        skip "needs $program: apt-get install mmdebstrap systemd-container dpkg-dev jq"
done

clean_trees() {
    local rc=$? name
    trap - EXIT
    set +e
    for name in "${!nspawn_of[@]}"; do
        if ((rc != 0)) && [[ -n ${init_of[$name]:-} ]]; then
            echo "== $name" >&2
            in_tree "$name" journalctl --no-pager -n 30 -u 'creel-*' >&2
        fi
        halt "$name"
    done
    ! declare -F clean_more > /dev/null || clean_more
    find /sys/fs/cgroup -depth -type d -path "*/${WORK##*/}-*" -exec rmdir {} + 2> /dev/null
    rm -rf --one-file-system "$WORK"
    exit $rc
}
trap clean_trees EXIT
trap 'exit 130' INT TERM

# make_tree NAME TAR [PACKAGES]: a Debian system in $WORK/NAME, unpacked from TAR, which is made
# first if it is not there: from nothing but the mirror, with systemd and PACKAGES (a,b), and
# without anything of Creel.
make_tree() {
    local name=$1 tar=$2 packages=systemd,systemd-sysv,dbus,apt,ca-certificates,iproute2,curl,jq
    packages+=,passwd,procps${3:+,$3}
    if [[ ! -e $tar ]]; then
        echo "building a Debian tree: $tar"
        mmdebstrap --variant=minbase --skip=cleanup/apt/lists \
            --include="$packages" bookworm "${tar%.tar}.part.tar" \
            /etc/apt/sources.list.d/debian.sources \
            > "$WORK/mmdebstrap.log" 2>&1 || { tail "$WORK/mmdebstrap.log" >&2; exit 1; }
        mv "${tar%.tar}.part.tar" "$tar"
    fi
    mkdir "$WORK/$name"
    tar -C "$WORK/$name" -xf "$tar"
    echo "$name" > "$WORK/$name/etc/hostname"
    : > "$WORK/$name/etc/machine-id"
}

# fetch_dependencies NAME DEB...: what the packages need from the mirror, since a booted tree has no
# way out.
fetch_dependencies() {
    local root=$WORK/$1
    shift
    mkdir -p "$root/root/debs"
    cp "$@" "$root/root/debs/"
    cp --dereference /etc/resolv.conf "$root/etc/resolv.conf"
    chroot "$root" sh -c 'apt-get install -q -y --no-install-recommends --download-only \
        /root/debs/*.deb' > "$WORK/fetch.log" 2>&1 || { tail "$WORK/fetch.log" >&2; exit 1; }
}

# enter_cgroups NAME: moves this process into control groups of its own. Without them the units of
# several trees would share theirs.
enter_cgroups() {
    local hierarchy
    for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/*/; do
        [[ -e $hierarchy/cgroup.procs ]] || continue
        mkdir -p "$hierarchy/${WORK##*/}-$1"
        # A new group of a cpuset has no processors yet; the tree can do without one of its own.
        echo "$BASHPID" 2> /dev/null > "$hierarchy/${WORK##*/}-$1/cgroup.procs" || true
    done
}

# boot NAME [NSPAWN-OPTION...]: starts the tree's systemd, in namespaces of its own.
boot() {
    local name=$1 hierarchy
    shift
    (
        enter_cgroups "$name"
        exec systemd-nspawn --quiet --register=no --keep-unit --boot --console=pipe \
            --machine="$name" --directory="$WORK/$name" "$@" \
            < /dev/null > "$WORK/$name.console" 2>&1
    ) &
    nspawn_of[$name]=$!
    disown "$!"
    wait_for 30 "systemd in $name" pgrep -x systemd -P "$!"
    init_of[$name]=$(pgrep -x systemd -P "$!")
    wait_for 60 "boot of $name" is_booted "$name"
    # systemd-nspawn shows the controllers of cgroup v1 read-only; a real host does not.
    for hierarchy in memory cpu cpuacct pids freezer; do
        in_tree "$name" sh -c '! mountpoint -q "$0" || mount -o remount,bind,rw "$0"' \
            "/sys/fs/cgroup/$hierarchy"
    done
}
is_booted() { in_tree "$1" systemctl is-system-running | grep -qE 'running|degraded'; }

# halt NAME: ends the tree's systemd and everything that it has started.
halt() {
    local nspawn=${nspawn_of[$1]} init=${init_of[$1]:-}
    unset "nspawn_of[$1]" "init_of[$1]"
    # SIGRTMIN+4 asks systemd for poweroff.
    [[ -z $init ]] || kill -RTMIN+4 "$init" 2> /dev/null
    for _ in {1..100}; do
        kill -0 "$nspawn" 2> /dev/null || return 0
        sleep 0.2
    done
    [[ -z $init ]] || kill -KILL "$init" 2> /dev/null
    kill -KILL "$nspawn" 2> /dev/null
}

# in_tree NAME COMMAND...: runs it as root in the booted tree.
in_tree() {
    local init=${init_of[$1]}
    shift
    nsenter --target "$init" --mount --uts --ipc --net --pid --root --wd -- \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}
# as_user NAME USER COMMAND...: the same as an ordinary user, in the user's home.
as_user() {
    local name=$1 user=$2
    shift 2
    in_tree "$name" runuser -u "$user" -- env HOME="/home/$user" "$@"
}
# apt NAME ARGS...: apt-get in the booted tree, without the mirror.
apt() {
    local name=$1
    shift
    in_tree "$name" apt-get -q -y --no-install-recommends -o Acquire::Retries=0 "$@" \
        > "$WORK/apt.log" 2>&1 || { cat "$WORK/apt.log" >&2; fail "apt-get $*"; }
    ! grep -iE 'warning|error|failed' "$WORK/apt.log" || fail "apt-get $* is not content"
}
# as_daemon NAME ARGS...: creel as the user of the daemons, who is an administrator.
as_daemon() {
    local name=$1
    shift
    in_tree "$name" runuser -u creel -- env HOME=/var/lib/creel creel "$@"
}
# give_token MASTER NAME USER: a token for USER of the tree NAME, where the command looks for it.
give_token() {
    wait_for 60 "ResourceManager" as_daemon "$1" rmadmin status
    as_daemon "$1" token --new --user "$3" --expires 30d > "$WORK/token"
    as_user "$2" "$3" install -d -m 0700 "/home/$3/.config/creel"
    install -m 0600 "$WORK/token" "$WORK/$2/home/$3/.config/creel/token"
    in_tree "$2" chown "$3:" "/home/$3/.config/creel/token"
}
is_active() { in_tree "$1" systemctl is-active --quiet "$2"; }
main_pid() { in_tree "$1" systemctl show --property=MainPID --value "$2"; }

# raise_version FROM TO: copies the packages in the folder FROM to TO, as those of a later version.
raise_version() {
    local deb
    mkdir -p "$2"
    for deb in "$1"/creel*.deb; do
        rm -rf "$WORK/raise"
        dpkg-deb -R "$deb" "$WORK/raise"
        sed -i -E '/^Version:/s/$/+later/; /^Depends:/s/creel \(= ([^)]*)\)/creel (= \1+later)/' \
            "$WORK/raise/DEBIAN/control"
        dpkg-deb -b "$WORK/raise" "$2/$(basename "$deb")" > /dev/null
    done
    rm -rf "$WORK/raise"
}
