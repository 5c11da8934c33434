// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/service/wholeconfig.h"

namespace unavez::tests {

QString wholeConfig()
{
    return QStringLiteral(R"([store]
url = "sqlite:///tmp/store.db"
[service]
instance = "edge-1"
roles = ["edge", "worker", "gate", "reaper"]
state_dir = "DIR"
admin = "127.0.0.1:0"
ports_file = "DIR/ports.json"
heartbeat_s = 5
drain_s = 30
[edge]
listen = "127.0.0.1:8080"
behind_proxy = false
tls_certificate = ""
tls_key = ""
body_max = 1048576
header_max = 16384
read_s = 10
max_connections = 4096
[[sources]]
name = "stripe:acct_1"
provider = "stripe"
account = "acct_1"
route = "/webhooks/stripe"
tolerance_s = 300
[[sources.secrets]]
id = "k1"
secret = "file:DIR/k1"
[worker]
handler = "http://127.0.0.1:9000/run"
payload = true
concurrency = 4
lease_s = 60
renew_s = 20
max_attempts = 8
handler_s = 600
backoff_s = [10, 30, 120, 600, 1800, 7200, 10800]
poll_ms = 200
[gate]
listen = "127.0.0.1:0"
token = "file:DIR/token"
lease_s = 45
[providers.stripe]
url = "https://api.stripe.com"
account = "acct_1"
key = "file:DIR/key"
window_s = 86400
margin_s = 14400
connect_s = 5
total_s = 30
[tools.charge_customer]
backend = "http://127.0.0.1:9001/invoices/{invoice_id}"
max_attempts = 4
min_interval_s = 60
[reaper]
every_s = 5
grace_s = 10
[alert]
command = ["/bin/sh", "-c", "true"]
)");
}

} // namespace unavez::tests
