#!/usr/bin/env bash
# Goal: Prometheus takes the alert rules, each of them fires when it should, and every query of the
# dashboard has an answer from a Prometheus that watches a real cluster.
. "$(dirname "$0")/../e2e/lib.sh"
MONITORING=${CREEL_SOURCE:?}/deploy/monitoring
for program in prometheus promtool; do
    command -v $program > /dev/null ||
        { echo "skipped: needs $program (Debian: apt-get install prometheus)"; exit 77; }
done
cleanup_more() {
    if [ -n "${prometheus:-}" ]; then
        kill "$prometheus" && wait "$prometheus"
    fi
}

cp "$MONITORING/creel.rules.yml" "$CREEL_SOURCE/tests/deploy/alerts.yml" "$T"
promtool check rules "$T/creel.rules.yml" > "$T/said" 2>&1 || fail "$(cat "$T/said")"
check_equal "$(sed -n 's/^ *SUCCESS: \([0-9]*\) rules.*/\1/p' "$T/said")" \
    "$(grep -c 'alert:' "$T/creel.rules.yml")" "rules accepted"
promtool test rules "$T/alerts.yml" > "$T/said" 2>&1 || fail "$(cat "$T/said")"
promtool check config --syntax-only "$MONITORING/prometheus.yml" > "$T/said" 2>&1 ||
    fail "$(cat "$T/said")"
echo "ok rules"

start_cluster --nodes 1
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
cat > "$T/prometheus.yml" << END
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - job_name: creel-resourcemanager
    static_configs: [{targets: ["${CREEL_RM#http://}"]}]
  - job_name: creel-nodemanager
    static_configs: [{targets: ["$(sed 's|http://||' "$DEV/nm-1.url")"]}]
END
prometheus --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/data" --log.level=warn \
    --web.listen-address="127.0.0.1:$port" > "$T/prometheus.log" 2>&1 &
prometheus=$!
creel run -- true
query() {
    curl -sfG "http://127.0.0.1:$port/api/v1/query" --data-urlencode "query=$1" |
        jq -e '.data.result | length > 0'
}
n=0
while read -r expr; do
    wait_for 30 "answer to ${expr//\$__rate_interval/10s}" query "${expr//\$__rate_interval/10s}"
    n=$((n + 1))
done < <(jq -r '.panels[].targets[].expr' "$MONITORING/grafana-dashboard.json")
[ "$n" -ge 20 ] || fail "the dashboard has $n queries only"
for metric in $(grep -oh 'creel_[a-z_]*' "$MONITORING/creel.rules.yml" | sort -u) up; do
    wait_for 30 "$metric, which a rule names" query "$metric"
done
echo "ok $n queries"
