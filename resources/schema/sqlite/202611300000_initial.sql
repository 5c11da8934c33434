-- Unavez store, SQLite 3.37+ (one host). Meaning: contract.md §10-12. One statement set for both stores: models/stores/sql.
-- Times: integer milliseconds UTC; never = 253402300799999. now = (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER))
-- Every writing transaction starts with BEGIN IMMEDIATE. Duplicates are looked for first (WHERE NOT EXISTS), never resolved by
-- OR REPLACE: it would delete without firing delete triggers, so the insert and update triggers below refuse what it could do.
-- Connections set: PRAGMA journal_mode=WAL; synchronous=FULL; foreign_keys=ON; busy_timeout=5000; recursive_triggers=ON;


CREATE TABLE store_info(one INTEGER PRIMARY KEY CHECK(one=1), store_id TEXT NOT NULL, mode TEXT NOT NULL CHECK(mode IN ('live','test','practice')), schema_version TEXT NOT NULL,
  epoch INTEGER NOT NULL DEFAULT 1, state TEXT NOT NULL DEFAULT 'normal' CHECK(state IN ('normal','quarantine')), quarantine_from INTEGER, created_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER))) STRICT;

CREATE TABLE sources(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, provider TEXT NOT NULL CHECK(provider IN ('none','stripe','telegram','standard','github','shopify','slack')),
  account TEXT NOT NULL DEFAULT '', retain_days INTEGER NOT NULL DEFAULT 45, serialize_by TEXT CHECK(serialize_by IN ('object_id')), created_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)),
  UNIQUE(provider,account), CHECK(retain_days >= CASE provider WHEN 'stripe' THEN 30 WHEN 'telegram' THEN 2 ELSE 3 END)) STRICT;
INSERT INTO sources(id,name,provider) VALUES(0,'(none)','none');

CREATE TABLE signing_keys(id TEXT PRIMARY KEY, source_id INTEGER NOT NULL REFERENCES sources(id), route TEXT NOT NULL, secret_ref TEXT NOT NULL,
  fingerprint TEXT NOT NULL CHECK(length(fingerprint)=12), not_before INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), not_after INTEGER NOT NULL DEFAULT 253402300799999, CHECK(not_before<not_after)) STRICT;

CREATE TABLE processed_events(id INTEGER PRIMARY KEY AUTOINCREMENT, source_id INTEGER NOT NULL REFERENCES sources(id), event_id TEXT NOT NULL CHECK(length(CAST(event_id AS BLOB)) BETWEEN 1 AND 255),
  event_type TEXT NOT NULL, object_id TEXT, change_id TEXT NOT NULL, alias_event_id TEXT, provider_created_at INTEGER, received_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), last_seen_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)),
  deliveries INTEGER NOT NULL DEFAULT 1, body_sha256 BLOB NOT NULL CHECK(length(body_sha256)=32), signing_key_id TEXT NOT NULL REFERENCES signing_keys(id),
  has_job INTEGER NOT NULL DEFAULT 0 CHECK(has_job IN (0,1)), UNIQUE(source_id,event_id), UNIQUE(source_id,change_id)) STRICT;
CREATE INDEX events_alias ON processed_events(alias_event_id) WHERE alias_event_id IS NOT NULL;
CREATE INDEX events_id ON processed_events(event_id);
CREATE INDEX events_newest ON processed_events(received_at,id);
CREATE INDEX events_by_source ON processed_events(source_id,received_at,id);
CREATE INDEX events_lost ON processed_events(received_at,id) WHERE has_job=0;
CREATE INDEX events_object ON processed_events(object_id,event_type) WHERE object_id IS NOT NULL;

CREATE TABLE event_payloads(event_pk INTEGER PRIMARY KEY, received_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), content_type TEXT NOT NULL DEFAULT 'application/json', sealed_with TEXT, body BLOB NOT NULL) STRICT;
CREATE INDEX payloads_age ON event_payloads(received_at);
CREATE TABLE event_deliveries(event_pk INTEGER NOT NULL REFERENCES processed_events(id), n INTEGER NOT NULL CHECK(n BETWEEN 1 AND 20), at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), signing_key_id TEXT NOT NULL,
  peer TEXT, answered_ms INTEGER, PRIMARY KEY(event_pk,n)) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_age ON event_deliveries(at);
CREATE TABLE signature_failures(id INTEGER PRIMARY KEY AUTOINCREMENT, source_id INTEGER NOT NULL DEFAULT 0 REFERENCES sources(id), route TEXT NOT NULL,
  reason TEXT NOT NULL CHECK(reason IN ('missing_header','malformed_header','no_supported_scheme','mismatch','too_old','too_new','body_too_large','bad_token','not_json','no_event_id','test_event_on_live','live_event_on_test','unknown_source')),
  minute INTEGER NOT NULL, n INTEGER NOT NULL DEFAULT 1, last_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), sig_at INTEGER, body_len INTEGER, body_sha256 BLOB, peer TEXT, UNIQUE(source_id,route,reason,minute)) STRICT;
CREATE INDEX failures_newest ON signature_failures(last_at,id);
CREATE TABLE minute_stats(source_id INTEGER NOT NULL REFERENCES sources(id), minute INTEGER NOT NULL, name TEXT NOT NULL, n INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(source_id,minute,name)) STRICT, WITHOUT ROWID;

CREATE TABLE jobs(id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL CHECK(kind IN ('event','resume')), event_pk INTEGER REFERENCES processed_events(id), source_id INTEGER NOT NULL DEFAULT 0 REFERENCES sources(id),
  provider TEXT, provider_account TEXT, key TEXT,
  state TEXT NOT NULL DEFAULT 'queued' CHECK(state IN ('queued','leased','retry_wait','done','dead','discarded')),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK(attempts>=0), max_attempts INTEGER NOT NULL DEFAULT 8 CHECK(max_attempts>0), postponed INTEGER NOT NULL DEFAULT 0, run_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)),
  lease_token INTEGER NOT NULL DEFAULT 0, lease_owner TEXT, lease_expires_at INTEGER, error_class TEXT, error_text TEXT CHECK(length(error_text)<=2000),
  dead_at INTEGER, finished_at INTEGER, requeued_at INTEGER, created_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), row_version INTEGER NOT NULL DEFAULT 0,
  CHECK((kind='event')=(event_pk IS NOT NULL)), CHECK((kind='resume')=(key IS NOT NULL)), CHECK((key IS NULL)=(provider IS NULL) AND (key IS NULL)=(provider_account IS NULL)),
  CHECK((state='leased')=(lease_owner IS NOT NULL)), CHECK((state='leased')=(lease_expires_at IS NOT NULL)), CHECK((state='dead')=(dead_at IS NOT NULL)),
  CHECK((state IN ('done','discarded'))=(finished_at IS NOT NULL))) STRICT;
CREATE UNIQUE INDEX one_job_per_event ON jobs(event_pk) WHERE kind='event';
CREATE UNIQUE INDEX one_resume_per_key ON jobs(provider,provider_account,key) WHERE kind='resume' AND state NOT IN ('done','discarded');
CREATE INDEX jobs_ready ON jobs(source_id,run_at,id) WHERE state IN ('queued','retry_wait');
CREATE INDEX jobs_leased ON jobs(lease_expires_at,id) WHERE state='leased';
CREATE INDEX jobs_dead ON jobs(dead_at,id) WHERE state='dead';
CREATE TABLE dead_letters(id INTEGER PRIMARY KEY AUTOINCREMENT, job_id INTEGER NOT NULL REFERENCES jobs(id), died_at INTEGER NOT NULL, attempts INTEGER NOT NULL, error_class TEXT, error_text TEXT,
  left_at INTEGER, left_as TEXT CHECK(left_as IN ('queued','discarded')), CHECK((left_at IS NULL)=(left_as IS NULL))) STRICT;
CREATE UNIQUE INDEX one_stay_at_a_time ON dead_letters(job_id) WHERE left_at IS NULL;

CREATE TABLE intents(provider TEXT NOT NULL, provider_account TEXT NOT NULL DEFAULT '',
  intent_key TEXT NOT NULL CHECK(intent_key GLOB '[a-z]*:?*' AND intent_key NOT GLOB '*[^A-Za-z0-9_.%:-]*' AND intent_key NOT GLOB '*:a[0-9]' AND intent_key NOT GLOB '*:a[0-9][0-9]' AND length(intent_key)<=200),
  tool TEXT NOT NULL, amount_minor INTEGER CHECK(amount_minor>0), currency TEXT CHECK(currency GLOB '[a-z][a-z][a-z]'), customer_ref TEXT, plan TEXT, plan_sha256 BLOB NOT NULL CHECK(length(plan_sha256)=32),
  args_sha256 BLOB NOT NULL CHECK(length(args_sha256)=32), provider_object_id TEXT, max_attempts INTEGER NOT NULL DEFAULT 4 CHECK(max_attempts>0), created_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)),
  last_attempt INTEGER NOT NULL DEFAULT 0, last_status TEXT, last_status_at INTEGER, emptied_at INTEGER, PRIMARY KEY(provider,provider_account,intent_key),
  CHECK((amount_minor IS NULL)=(currency IS NULL)), CHECK((plan IS NULL)=(emptied_at IS NOT NULL))) STRICT, WITHOUT ROWID;
CREATE INDEX intents_failed ON intents(last_status_at,provider,provider_account,intent_key) WHERE last_status IN ('failed','abandoned');
CREATE INDEX intents_customer ON intents(customer_ref,created_at) WHERE customer_ref IS NOT NULL;
CREATE INDEX intents_amount ON intents(currency,amount_minor,created_at) WHERE amount_minor IS NOT NULL;
CREATE INDEX intents_object ON intents(provider_object_id) WHERE provider_object_id IS NOT NULL;
CREATE TABLE intent_uses(provider TEXT NOT NULL, provider_account TEXT NOT NULL, intent_key TEXT NOT NULL, job_id INTEGER NOT NULL REFERENCES jobs(id), first_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)),
  PRIMARY KEY(job_id,provider,provider_account,intent_key), FOREIGN KEY(provider,provider_account,intent_key) REFERENCES intents(provider,provider_account,intent_key)) STRICT, WITHOUT ROWID;
CREATE INDEX uses_of_intent ON intent_uses(provider,provider_account,intent_key,first_at);

CREATE TABLE idempotency_keys(provider TEXT NOT NULL, provider_account TEXT NOT NULL DEFAULT '', key TEXT NOT NULL CHECK(length(key) BETWEEN 1 AND 230), intent_key TEXT NOT NULL,
  attempt INTEGER NOT NULL CHECK(attempt>=1), status TEXT NOT NULL DEFAULT 'in_progress' CHECK(status IN ('opened','in_progress','unknown','done','failed','abandoned')),
  flag TEXT CHECK(flag IN ('awaiting_customer','awaiting_provider','awaiting_capture')), request BLOB, request_sha256 BLOB CHECK(length(request_sha256)=32),
  fence INTEGER NOT NULL DEFAULT 1, owner TEXT, lease_expires_at INTEGER, reserved_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), status_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), first_sent_at INTEGER, last_sent_at INTEGER,
  sends INTEGER NOT NULL DEFAULT 0, window_s INTEGER NOT NULL DEFAULT 86400 CHECK(window_s>=0), margin_s INTEGER NOT NULL DEFAULT 14400 CHECK(margin_s>=0), resume_until INTEGER NOT NULL DEFAULT 253402300799999,
  outcome_class TEXT, provider_object_id TEXT, result TEXT, error TEXT, completed_at INTEGER, emptied_at INTEGER, row_version INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(provider,provider_account,key), UNIQUE(provider,provider_account,intent_key,attempt),
  FOREIGN KEY(provider,provider_account,intent_key) REFERENCES intents(provider,provider_account,intent_key),
  CHECK(key=intent_key||':a'||attempt), CHECK((status='in_progress')=(lease_expires_at IS NOT NULL)), CHECK((status='in_progress')=(owner IS NOT NULL)),
  CHECK((status IN ('done','failed','abandoned'))=(completed_at IS NOT NULL)), CHECK(status<>'done' OR provider_object_id IS NOT NULL), CHECK(status<>'failed' OR outcome_class IS NOT NULL),
  CHECK(status IN ('opened','abandoned') OR request_sha256 IS NOT NULL), CHECK(status NOT IN ('in_progress','unknown') OR request IS NOT NULL),
  CHECK((sends=0)=(first_sent_at IS NULL) AND (sends=0)=(last_sent_at IS NULL)), CHECK((sends=0)=(resume_until=253402300799999)),
  CHECK(emptied_at IS NULL OR (request IS NULL AND result IS NULL AND error IS NULL AND status IN ('done','failed','abandoned')))) STRICT;
CREATE UNIQUE INDEX one_open_or_done_attempt ON idempotency_keys(provider,provider_account,intent_key) WHERE status IN ('opened','in_progress','unknown','done');
CREATE UNIQUE INDEX one_reservation_per_object ON idempotency_keys(provider,provider_account,substr(intent_key,1,instr(intent_key,':')-1),provider_object_id) WHERE status='done';
CREATE INDEX keys_stuck ON idempotency_keys(resume_until,provider,provider_account,key) WHERE status IN ('opened','in_progress');
CREATE INDEX keys_lease ON idempotency_keys(lease_expires_at) WHERE status='in_progress';
CREATE INDEX keys_unknown ON idempotency_keys(status_at,provider,provider_account,key) WHERE status='unknown';
CREATE INDEX keys_newest ON idempotency_keys(reserved_at,provider,provider_account,key);
CREATE INDEX keys_object ON idempotency_keys(provider_object_id) WHERE provider_object_id IS NOT NULL;
CREATE INDEX keys_sweep ON idempotency_keys(completed_at) WHERE completed_at IS NOT NULL AND emptied_at IS NULL;

CREATE TABLE provider_calls(id INTEGER PRIMARY KEY AUTOINCREMENT, provider TEXT NOT NULL, provider_account TEXT NOT NULL, key TEXT NOT NULL, sent_key TEXT NOT NULL CHECK(length(sent_key)<=255),
  fence INTEGER NOT NULL, job_id INTEGER REFERENCES jobs(id), lease_token INTEGER, sent_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), ended_at INTEGER, http_status INTEGER, request_id TEXT, original_request_id TEXT,
  replayed INTEGER, should_retry INTEGER, error_type TEXT, error_code TEXT, decline_code TEXT, advice_code TEXT, object_id TEXT,
  class TEXT CHECK(class IN ('success','step','definitive_failure','retryable_same_key','unanswered','mismatch','unknown')),
  FOREIGN KEY(provider,provider_account,key) REFERENCES idempotency_keys(provider,provider_account,key), CHECK((ended_at IS NULL)=(class IS NULL)), CHECK(substr(sent_key,1,length(key)+1)=key||':')) STRICT;
CREATE INDEX calls_of_key ON provider_calls(provider,provider_account,key,id);
CREATE INDEX calls_sent_key ON provider_calls(provider,provider_account,sent_key);
CREATE INDEX calls_open ON provider_calls(sent_at) WHERE ended_at IS NULL;
CREATE INDEX calls_of_job ON provider_calls(job_id) WHERE job_id IS NOT NULL;

CREATE TABLE reconciliations(id INTEGER PRIMARY KEY AUTOINCREMENT, provider TEXT NOT NULL, provider_account TEXT NOT NULL, key TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK(verdict IN ('charged','failed','not_charged','double_charged')), source TEXT NOT NULL CHECK(source IN ('webhook','api','csv','json','person')), event_pk INTEGER REFERENCES processed_events(id),
  object_ids TEXT NOT NULL DEFAULT '[]' CHECK(json_valid(object_ids)), amount_minor INTEGER, currency TEXT, evidence_sha256 BLOB NOT NULL CHECK(length(evidence_sha256)=32), evidence_until INTEGER NOT NULL,
  by_login TEXT NOT NULL, proposal_id INTEGER, at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), FOREIGN KEY(provider,provider_account,key) REFERENCES idempotency_keys(provider,provider_account,key),
  CHECK(verdict='not_charged' OR json_array_length(object_ids)>0)) STRICT;
CREATE INDEX reconciliations_of_key ON reconciliations(provider,provider_account,key,id);

CREATE TABLE proposals(id INTEGER PRIMARY KEY AUTOINCREMENT, action TEXT NOT NULL, target TEXT NOT NULL, plan TEXT NOT NULL, reason TEXT NOT NULL CHECK(length(reason)>=8), proposed_by TEXT NOT NULL,
  proposed_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), decision TEXT CHECK(decision IN ('approved','rejected')), decided_by TEXT, decided_at INTEGER, used_at INTEGER,
  CHECK((decision IS NULL)=(decided_by IS NULL) AND (decision IS NULL)=(decided_at IS NULL)), CHECK(decided_by<>proposed_by), CHECK(used_at IS NULL OR decision='approved')) STRICT;
CREATE INDEX proposals_open ON proposals(proposed_at,id) WHERE decision IS NULL;
CREATE TABLE bulk_runs(id INTEGER PRIMARY KEY AUTOINCREMENT, action TEXT NOT NULL, filter TEXT NOT NULL, reason TEXT NOT NULL CHECK(length(reason)>=8), started_by TEXT NOT NULL, started_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)),
  state TEXT NOT NULL DEFAULT 'running' CHECK(state IN ('running','paused','finished','cancelled')), per_second INTEGER NOT NULL DEFAULT 50, total INTEGER NOT NULL, next_seq INTEGER NOT NULL DEFAULT 1, finished_at INTEGER) STRICT;
CREATE TABLE bulk_items(run_id INTEGER NOT NULL REFERENCES bulk_runs(id), seq INTEGER NOT NULL, target TEXT NOT NULL, seen INTEGER NOT NULL, result TEXT CHECK(result IN ('applied','refused','changed','missing')),
  reason TEXT, at INTEGER, log_id INTEGER, PRIMARY KEY(run_id,seq), UNIQUE(run_id,target)) STRICT;
CREATE INDEX bulk_items_todo ON bulk_items(run_id,seq) WHERE result IS NULL;
CREATE TABLE operator_actions(id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), operator TEXT NOT NULL, executed_by TEXT NOT NULL,
  action TEXT NOT NULL CHECK(action IN ('requeue_job','release_lease','expire_reservation','open_attempt','record_outcome','discard_job','enqueue_event','hold')),
  target TEXT NOT NULL, reason TEXT NOT NULL CHECK(length(reason)>=8), plan TEXT NOT NULL, rows_changed INTEGER NOT NULL, refused TEXT, proposal_id INTEGER REFERENCES proposals(id), bulk_run_id INTEGER, bulk_seq INTEGER,
  canonical TEXT NOT NULL, prev_hash BLOB NOT NULL CHECK(length(prev_hash)=32), hash BLOB NOT NULL UNIQUE CHECK(length(hash)=32), CHECK((rows_changed=0)=(refused IS NOT NULL))) STRICT;
CREATE INDEX actions_target ON operator_actions(target,id);
CREATE TABLE audit_head(one INTEGER PRIMARY KEY CHECK(one=1), last_id INTEGER NOT NULL DEFAULT 0, last_hash BLOB NOT NULL DEFAULT (zeroblob(32))) STRICT;
INSERT INTO audit_head(one) VALUES(1);
CREATE TABLE case_notes(id INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT NOT NULL, kind TEXT NOT NULL CHECK(kind IN ('claim','release','note')), by_login TEXT NOT NULL, at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)),
  body TEXT NOT NULL DEFAULT '' CHECK(length(body)<=4000)) STRICT;
CREATE INDEX notes_of_subject ON case_notes(subject,id);
CREATE TABLE holds(id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL CHECK(kind IN ('tool','source','sends')), target TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL, placed_by TEXT NOT NULL,
  placed_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), released_by TEXT, released_at INTEGER, CHECK((kind='sends')=(target='')), CHECK((released_at IS NULL)=(released_by IS NULL))) STRICT;
CREATE UNIQUE INDEX holds_now ON holds(kind,target) WHERE released_at IS NULL;
CREATE TABLE incidents(id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL CHECK(kind IN ('mismatch','credential','outcome_conflict','double_charge','reversed','live_event_on_test','body_changed','clock_went_back','clock_skew','pii_in_key','restore','chain_broken')),
  subject TEXT NOT NULL, severity TEXT NOT NULL CHECK(severity IN ('red','amber','info')), detail TEXT NOT NULL DEFAULT '{}', opened_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), last_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)),
  n INTEGER NOT NULL DEFAULT 1, closed_at INTEGER, closed_by TEXT, CHECK((closed_at IS NULL)=(closed_by IS NULL))) STRICT;
CREATE UNIQUE INDEX incidents_open ON incidents(kind,subject) WHERE closed_at IS NULL;
CREATE INDEX incidents_newest ON incidents(last_at,id);
CREATE TABLE services(instance TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, version TEXT NOT NULL, roles TEXT NOT NULL, config_sha256 BLOB NOT NULL, secret_fingerprints TEXT NOT NULL DEFAULT '[]',
  db_skew_ms INTEGER, provider_skew_ms INTEGER, started_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), heartbeat_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), stopped_at INTEGER) STRICT;

-- ------------------------------------------------------------------ guard triggers
CREATE TRIGGER event_insert BEFORE INSERT ON processed_events BEGIN
  SELECT RAISE(ABORT,'event: recorded already') WHERE EXISTS(SELECT 1 FROM processed_events WHERE (source_id=NEW.source_id AND event_id=NEW.event_id) OR id=NEW.id OR (source_id=NEW.source_id AND change_id=NEW.change_id));
  SELECT RAISE(ABORT,'event: must start plain') WHERE NEW.has_job<>0 OR NEW.deliveries<1;
END;
CREATE TRIGGER event_update BEFORE UPDATE ON processed_events BEGIN
  SELECT RAISE(ABORT,'event: immutable') WHERE NEW.id<>OLD.id OR NEW.source_id<>OLD.source_id OR NEW.event_id<>OLD.event_id OR NEW.change_id<>OLD.change_id OR NEW.event_type<>OLD.event_type OR NEW.object_id IS NOT OLD.object_id OR NEW.received_at<>OLD.received_at
    OR NEW.body_sha256<>OLD.body_sha256 OR NEW.signing_key_id<>OLD.signing_key_id OR NEW.deliveries<OLD.deliveries OR NEW.has_job<OLD.has_job
    OR (NEW.alias_event_id IS NOT OLD.alias_event_id AND OLD.alias_event_id IS NOT NULL)
    OR (NEW.has_job>OLD.has_job AND NOT EXISTS(SELECT 1 FROM jobs WHERE kind='event' AND event_pk=OLD.id));
END;
CREATE TRIGGER job_insert BEFORE INSERT ON jobs BEGIN
  SELECT RAISE(ABORT,'job: there is one already') WHERE EXISTS(SELECT 1 FROM jobs WHERE id=NEW.id OR (kind='event' AND event_pk=NEW.event_pk)
    OR (kind='resume' AND provider=NEW.provider AND provider_account=NEW.provider_account AND key=NEW.key AND state NOT IN ('done','discarded')));
  SELECT RAISE(ABORT,'job: must start as queued') WHERE NEW.state<>'queued' OR NEW.attempts<>0 OR NEW.lease_token<>0 OR NEW.row_version<>0 OR NEW.postponed<>0;
END;
CREATE TRIGGER job_update BEFORE UPDATE ON jobs BEGIN
  SELECT RAISE(ABORT,'job: identity and counters are immutable') WHERE NEW.id<>OLD.id OR NEW.kind<>OLD.kind OR NEW.event_pk IS NOT OLD.event_pk OR NEW.source_id<>OLD.source_id OR NEW.provider IS NOT OLD.provider
    OR NEW.provider_account IS NOT OLD.provider_account OR NEW.key IS NOT OLD.key OR NEW.created_at<>OLD.created_at OR NEW.lease_token<OLD.lease_token OR NEW.attempts<OLD.attempts-1 OR NEW.max_attempts<OLD.max_attempts;
  SELECT RAISE(ABORT,'job: row_version must rise by one') WHERE NEW.row_version<>OLD.row_version+1;
  SELECT RAISE(ABORT,'job: final') WHERE OLD.state IN ('done','discarded');
  SELECT RAISE(ABORT,'job: a lease or a new owner needs a new token') WHERE (NEW.state='leased' AND OLD.state<>'leased' AND NEW.lease_token<=OLD.lease_token) OR (NEW.state='leased' AND OLD.state='leased' AND NEW.lease_token=OLD.lease_token AND NEW.lease_owner IS NOT OLD.lease_owner);
  SELECT RAISE(ABORT,'job: transition is not allowed') WHERE NEW.state<>OLD.state AND OLD.state||'>'||NEW.state NOT IN ('queued>leased','retry_wait>leased','leased>done','leased>retry_wait','leased>dead','dead>queued','dead>discarded');
  SELECT RAISE(ABORT,'job: an effect is still open') WHERE NEW.state='done' AND (
    EXISTS(SELECT 1 FROM intent_uses u JOIN idempotency_keys k ON k.provider=u.provider AND k.provider_account=u.provider_account AND k.intent_key=u.intent_key WHERE u.job_id=OLD.id AND k.status IN ('opened','in_progress','unknown'))
    OR EXISTS(SELECT 1 FROM idempotency_keys k WHERE k.provider=OLD.provider AND k.provider_account=OLD.provider_account AND k.key=OLD.key AND k.status IN ('opened','in_progress','unknown')));
END;
CREATE TRIGGER job_inserted AFTER INSERT ON jobs WHEN NEW.event_pk IS NOT NULL BEGIN UPDATE processed_events SET has_job=1 WHERE id=NEW.event_pk; END;
CREATE TRIGGER job_died AFTER UPDATE OF state ON jobs WHEN NEW.state='dead' AND OLD.state<>'dead' BEGIN
  INSERT INTO dead_letters(job_id,died_at,attempts,error_class,error_text) VALUES(NEW.id,NEW.dead_at,NEW.attempts,NEW.error_class,NEW.error_text);
END;
CREATE TRIGGER job_left AFTER UPDATE OF state ON jobs WHEN OLD.state='dead' AND NEW.state<>'dead' BEGIN
  UPDATE dead_letters SET left_at=(CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)), left_as=NEW.state WHERE job_id=NEW.id AND left_at IS NULL;
END;
CREATE TRIGGER intent_insert BEFORE INSERT ON intents BEGIN
  SELECT RAISE(ABORT,'intent: there already') WHERE EXISTS(SELECT 1 FROM intents WHERE provider=NEW.provider AND provider_account=NEW.provider_account AND intent_key=NEW.intent_key);
  SELECT RAISE(ABORT,'intent: must start plain') WHERE NEW.last_attempt<>0 OR NEW.last_status IS NOT NULL OR NEW.emptied_at IS NOT NULL OR NEW.provider_object_id IS NOT NULL;
END;
CREATE TRIGGER intent_update BEFORE UPDATE ON intents BEGIN
  SELECT RAISE(ABORT,'intent: the plan is frozen') WHERE NEW.provider<>OLD.provider OR NEW.provider_account<>OLD.provider_account OR NEW.intent_key<>OLD.intent_key OR NEW.tool<>OLD.tool OR NEW.amount_minor IS NOT OLD.amount_minor
    OR NEW.currency IS NOT OLD.currency OR NEW.customer_ref IS NOT OLD.customer_ref OR NEW.plan_sha256<>OLD.plan_sha256 OR NEW.args_sha256<>OLD.args_sha256 OR NEW.created_at<>OLD.created_at OR NEW.max_attempts<>OLD.max_attempts OR NEW.last_attempt<OLD.last_attempt
    OR (OLD.provider_object_id IS NOT NULL AND NEW.provider_object_id IS NOT OLD.provider_object_id) OR (NEW.plan IS NOT OLD.plan AND NOT (NEW.plan IS NULL AND OLD.last_status IS 'done'));
  SELECT RAISE(ABORT,'intent: last_status follows its attempts') WHERE (NEW.last_attempt<>OLD.last_attempt OR NEW.last_status IS NOT OLD.last_status)
    AND NEW.last_status IS NOT (SELECT status FROM idempotency_keys WHERE provider=OLD.provider AND provider_account=OLD.provider_account AND intent_key=OLD.intent_key AND attempt=NEW.last_attempt);
END;
CREATE TRIGGER key_insert BEFORE INSERT ON idempotency_keys BEGIN
  SELECT RAISE(ABORT,'reservation: there already') WHERE EXISTS(SELECT 1 FROM idempotency_keys WHERE provider=NEW.provider AND provider_account=NEW.provider_account AND key=NEW.key);
  SELECT RAISE(ABORT,'reservation: must start as in_progress with its bytes, or as opened') WHERE NEW.status NOT IN ('in_progress','opened') OR NEW.sends<>0 OR NEW.row_version<>0 OR NEW.completed_at IS NOT NULL
    OR NEW.fence<>CASE NEW.status WHEN 'opened' THEN 0 ELSE 1 END OR (NEW.status='in_progress')<>(NEW.request IS NOT NULL) OR (NEW.status='opened')<>(NEW.attempt>1);
  SELECT RAISE(ABORT,'reservation: attempts count up from 1 to the intent''s maximum') WHERE NEW.attempt<>1+(SELECT COALESCE(max(attempt),0) FROM idempotency_keys WHERE provider=NEW.provider AND provider_account=NEW.provider_account AND intent_key=NEW.intent_key)
    OR NEW.attempt>COALESCE((SELECT max_attempts FROM intents WHERE provider=NEW.provider AND provider_account=NEW.provider_account AND intent_key=NEW.intent_key),0);
  SELECT RAISE(ABORT,'reservation: the last attempt is not proven without effect') WHERE EXISTS(SELECT 1 FROM idempotency_keys l WHERE l.provider=NEW.provider AND l.provider_account=NEW.provider_account AND l.intent_key=NEW.intent_key AND l.attempt=NEW.attempt-1
    AND NOT ((l.status='failed' AND l.outcome_class='definitive_failure') OR (l.status='abandoned' AND (l.sends=0 OR EXISTS(SELECT 1 FROM reconciliations r WHERE r.provider=l.provider AND r.provider_account=l.provider_account AND r.key=l.key
      AND r.verdict='not_charged' AND r.evidence_until>=l.last_sent_at)))));
END;
CREATE TRIGGER key_update BEFORE UPDATE ON idempotency_keys BEGIN
  SELECT RAISE(ABORT,'reservation: identity and window are immutable') WHERE NEW.provider<>OLD.provider OR NEW.provider_account<>OLD.provider_account OR NEW.key<>OLD.key OR NEW.intent_key<>OLD.intent_key OR NEW.attempt<>OLD.attempt
    OR NEW.window_s<>OLD.window_s OR NEW.margin_s<>OLD.margin_s OR NEW.reserved_at<>OLD.reserved_at;
  SELECT RAISE(ABORT,'reservation: row_version must rise by one') WHERE NEW.row_version<>OLD.row_version+1;
  SELECT RAISE(ABORT,'reservation: counters may not go back') WHERE NEW.fence<OLD.fence OR NEW.sends NOT IN (OLD.sends,OLD.sends+1);
  SELECT RAISE(ABORT,'reservation: first send and cutoff are write-once') WHERE (OLD.first_sent_at IS NOT NULL AND NEW.first_sent_at IS NOT OLD.first_sent_at) OR (OLD.sends>0 AND NEW.resume_until<>OLD.resume_until) OR NEW.last_sent_at<OLD.last_sent_at;
  SELECT RAISE(ABORT,'reservation: cutoff beyond the window') WHERE OLD.sends=0 AND NEW.sends=1 AND NEW.resume_until>NEW.first_sent_at+max(OLD.window_s-OLD.margin_s,0)*1000;
  SELECT RAISE(ABORT,'reservation: the request is frozen') WHERE (OLD.request_sha256 IS NOT NULL AND NEW.request_sha256 IS NOT OLD.request_sha256)
    OR (NEW.request IS NOT OLD.request AND NOT ((OLD.status='opened' AND NEW.status='in_progress') OR (NEW.request IS NULL AND NEW.emptied_at IS NOT NULL)));
  SELECT RAISE(ABORT,'reservation: its outcome is final') WHERE NEW.status=OLD.status AND OLD.status IN ('done','failed','abandoned') AND (NEW.provider_object_id IS NOT OLD.provider_object_id OR NEW.outcome_class IS NOT OLD.outcome_class
    OR NEW.completed_at IS NOT OLD.completed_at OR NEW.status_at<>OLD.status_at OR ((NEW.result IS NOT OLD.result OR NEW.error IS NOT OLD.error) AND NEW.emptied_at IS NULL) OR (OLD.emptied_at IS NOT NULL AND NEW.emptied_at IS NOT OLD.emptied_at));
  SELECT RAISE(ABORT,'reservation: a new owner needs a new fence') WHERE NEW.status='in_progress' AND OLD.status='in_progress' AND NEW.fence=OLD.fence AND NEW.owner IS NOT OLD.owner;
  SELECT RAISE(ABORT,'reservation: past its cutoff') WHERE NEW.status='in_progress' AND OLD.status='in_progress' AND NEW.fence>OLD.fence AND OLD.sends>0 AND (OLD.resume_until<=(CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)) OR OLD.first_sent_at>(CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)));
  SELECT RAISE(ABORT,'reservation: a send mark belongs to in_progress and changes no status') WHERE NEW.sends<>OLD.sends AND (OLD.status<>'in_progress' OR NEW.status<>'in_progress');
  SELECT RAISE(ABORT,'reservation: transition is not allowed') WHERE NEW.status<>OLD.status AND NOT (CASE OLD.status||'>'||NEW.status
    WHEN 'opened>in_progress' THEN NEW.fence>OLD.fence
    WHEN 'opened>abandoned' THEN NEW.fence>OLD.fence
    WHEN 'in_progress>abandoned' THEN OLD.sends=0 AND NEW.fence>OLD.fence AND OLD.lease_expires_at<(CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER))
    WHEN 'in_progress>unknown' THEN OLD.sends>0 AND (NEW.fence=OLD.fence OR OLD.resume_until<=(CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)) OR OLD.first_sent_at>(CAST(round((julianday('now')-2440587.5)*86400000) AS INTEGER)))
    WHEN 'in_progress>done' THEN (NEW.fence=OLD.fence AND OLD.sends>0) OR EXISTS(SELECT 1 FROM reconciliations r WHERE r.provider=OLD.provider AND r.provider_account=OLD.provider_account AND r.key=OLD.key AND r.verdict='charged' AND EXISTS(SELECT 1 FROM json_each(r.object_ids) WHERE value=NEW.provider_object_id))
    WHEN 'in_progress>failed' THEN (NEW.fence=OLD.fence AND OLD.sends>0) OR EXISTS(SELECT 1 FROM reconciliations r WHERE r.provider=OLD.provider AND r.provider_account=OLD.provider_account AND r.key=OLD.key AND r.verdict='failed')
    WHEN 'unknown>done' THEN EXISTS(SELECT 1 FROM reconciliations r WHERE r.provider=OLD.provider AND r.provider_account=OLD.provider_account AND r.key=OLD.key AND r.verdict='charged' AND EXISTS(SELECT 1 FROM json_each(r.object_ids) WHERE value=NEW.provider_object_id))
    WHEN 'unknown>failed' THEN EXISTS(SELECT 1 FROM reconciliations r WHERE r.provider=OLD.provider AND r.provider_account=OLD.provider_account AND r.key=OLD.key AND r.verdict='failed')
    WHEN 'unknown>abandoned' THEN EXISTS(SELECT 1 FROM reconciliations r WHERE r.provider=OLD.provider AND r.provider_account=OLD.provider_account AND r.key=OLD.key AND r.verdict='not_charged' AND r.evidence_until>=OLD.last_sent_at)
    WHEN 'failed>done' THEN EXISTS(SELECT 1 FROM reconciliations r WHERE r.provider=OLD.provider AND r.provider_account=OLD.provider_account AND r.key=OLD.key AND r.verdict='charged' AND EXISTS(SELECT 1 FROM json_each(r.object_ids) WHERE value=NEW.provider_object_id))
    WHEN 'abandoned>done' THEN OLD.sends>0 AND EXISTS(SELECT 1 FROM reconciliations r WHERE r.provider=OLD.provider AND r.provider_account=OLD.provider_account AND r.key=OLD.key AND r.verdict='charged' AND EXISTS(SELECT 1 FROM json_each(r.object_ids) WHERE value=NEW.provider_object_id))
    ELSE 0 END);
  SELECT RAISE(ABORT,'one_open_or_done_attempt') WHERE NEW.status IN ('opened','in_progress','unknown','done') AND OLD.status IN ('failed','abandoned')
    AND EXISTS(SELECT 1 FROM idempotency_keys k WHERE k.provider=OLD.provider AND k.provider_account=OLD.provider_account AND k.intent_key=OLD.intent_key AND k.key<>OLD.key AND k.status IN ('opened','in_progress','unknown','done'));
  SELECT RAISE(ABORT,'one_reservation_per_object') WHERE NEW.status='done' AND OLD.status<>'done' AND EXISTS(SELECT 1 FROM idempotency_keys k WHERE k.provider=OLD.provider AND k.provider_account=OLD.provider_account
    AND substr(k.intent_key,1,instr(k.intent_key,':')-1)=substr(OLD.intent_key,1,instr(OLD.intent_key,':')-1) AND k.provider_object_id=NEW.provider_object_id AND k.status='done');
END;
CREATE TRIGGER key_inserted AFTER INSERT ON idempotency_keys BEGIN
  SELECT RAISE(ABORT,'reservation: replaced') WHERE (SELECT last_attempt FROM intents WHERE provider=NEW.provider AND provider_account=NEW.provider_account AND intent_key=NEW.intent_key)>=NEW.attempt;
  UPDATE intents SET last_attempt=NEW.attempt, last_status=NEW.status, last_status_at=NEW.status_at WHERE provider=NEW.provider AND provider_account=NEW.provider_account AND intent_key=NEW.intent_key;
END;
CREATE TRIGGER key_updated AFTER UPDATE OF status ON idempotency_keys WHEN NEW.status<>OLD.status BEGIN
  UPDATE intents SET last_status=NEW.status, last_status_at=NEW.status_at WHERE provider=NEW.provider AND provider_account=NEW.provider_account AND intent_key=NEW.intent_key AND last_attempt=NEW.attempt;
END;
CREATE TRIGGER call_insert BEFORE INSERT ON provider_calls BEGIN SELECT RAISE(ABORT,'provider call: starts unanswered') WHERE NEW.ended_at IS NOT NULL OR EXISTS(SELECT 1 FROM provider_calls WHERE id=NEW.id); END;
CREATE TRIGGER call_update BEFORE UPDATE ON provider_calls BEGIN
  SELECT RAISE(ABORT,'provider call: completed once, else immutable') WHERE OLD.ended_at IS NOT NULL OR NEW.id<>OLD.id OR NEW.provider<>OLD.provider OR NEW.provider_account<>OLD.provider_account OR NEW.key<>OLD.key OR NEW.sent_key<>OLD.sent_key
    OR NEW.fence<>OLD.fence OR NEW.job_id IS NOT OLD.job_id OR NEW.lease_token IS NOT OLD.lease_token OR NEW.sent_at<>OLD.sent_at;
END;
CREATE TRIGGER audit_insert BEFORE INSERT ON operator_actions BEGIN SELECT RAISE(ABORT,'operator_actions: not chained to the head') WHERE NEW.prev_hash<>(SELECT last_hash FROM audit_head) OR EXISTS(SELECT 1 FROM operator_actions WHERE id=NEW.id OR hash=NEW.hash); END;
CREATE TRIGGER audit_inserted AFTER INSERT ON operator_actions BEGIN UPDATE audit_head SET last_id=NEW.id, last_hash=NEW.hash; END;
CREATE TRIGGER head_update BEFORE UPDATE ON audit_head BEGIN SELECT RAISE(ABORT,'audit_head: follows operator_actions') WHERE NOT EXISTS(SELECT 1 FROM operator_actions WHERE id=NEW.last_id AND hash=NEW.last_hash AND prev_hash=OLD.last_hash); END;
CREATE TRIGGER store_update BEFORE UPDATE ON store_info BEGIN SELECT RAISE(ABORT,'store_info: mode and identity are immutable') WHERE NEW.mode<>OLD.mode OR NEW.store_id<>OLD.store_id OR NEW.epoch<OLD.epoch; END;
CREATE TRIGGER store_insert BEFORE INSERT ON store_info BEGIN SELECT RAISE(ABORT,'store_info: there already') WHERE EXISTS(SELECT 1 FROM store_info); END;
CREATE TRIGGER sources_update BEFORE UPDATE ON sources BEGIN SELECT RAISE(ABORT,'sources: identity is immutable') WHERE NEW.id<>OLD.id OR NEW.provider<>OLD.provider OR NEW.account<>OLD.account; END;
CREATE TRIGGER dead_letters_update BEFORE UPDATE ON dead_letters BEGIN SELECT RAISE(ABORT,'dead_letters: history') WHERE OLD.left_at IS NOT NULL OR NEW.id<>OLD.id OR NEW.job_id<>OLD.job_id OR NEW.died_at<>OLD.died_at OR NEW.error_text IS NOT OLD.error_text; END;
CREATE TRIGGER proposals_update BEFORE UPDATE ON proposals BEGIN SELECT RAISE(ABORT,'proposals: decided once, used once') WHERE OLD.used_at IS NOT NULL OR NEW.id<>OLD.id OR NEW.action<>OLD.action OR NEW.target<>OLD.target OR NEW.plan<>OLD.plan
  OR NEW.proposed_by<>OLD.proposed_by OR (OLD.decision IS NOT NULL AND (NEW.decision IS NOT OLD.decision OR NEW.decided_by IS NOT OLD.decided_by)); END;
CREATE TRIGGER holds_update BEFORE UPDATE ON holds BEGIN SELECT RAISE(ABORT,'holds: released once') WHERE OLD.released_at IS NOT NULL OR NEW.id<>OLD.id OR NEW.kind<>OLD.kind OR NEW.target<>OLD.target OR NEW.placed_by<>OLD.placed_by OR NEW.placed_at<>OLD.placed_at; END;
CREATE TRIGGER bulk_items_update BEFORE UPDATE ON bulk_items BEGIN SELECT RAISE(ABORT,'bulk_items: frozen set') WHERE OLD.result IS NOT NULL OR NEW.run_id<>OLD.run_id OR NEW.seq<>OLD.seq OR NEW.target<>OLD.target OR NEW.seen<>OLD.seen; END;
CREATE TRIGGER incidents_update BEFORE UPDATE ON incidents BEGIN SELECT RAISE(ABORT,'incidents: closed once') WHERE OLD.closed_at IS NOT NULL OR NEW.id<>OLD.id OR NEW.kind<>OLD.kind OR NEW.subject<>OLD.subject OR NEW.opened_at<>OLD.opened_at; END;
CREATE TRIGGER reconciliations_append_only BEFORE UPDATE ON reconciliations BEGIN SELECT RAISE(ABORT,'reconciliations: append-only'); END;
CREATE TRIGGER operator_actions_append_only BEFORE UPDATE ON operator_actions BEGIN SELECT RAISE(ABORT,'operator_actions: append-only'); END;
CREATE TRIGGER intent_uses_append_only BEFORE UPDATE ON intent_uses BEGIN SELECT RAISE(ABORT,'intent_uses: append-only'); END;
CREATE TRIGGER case_notes_append_only BEFORE UPDATE ON case_notes BEGIN SELECT RAISE(ABORT,'case_notes: append-only'); END;
CREATE TRIGGER store_info_no_delete BEFORE DELETE ON store_info BEGIN SELECT RAISE(ABORT,'store_info: DELETE is never allowed'); END;
CREATE TRIGGER sources_no_delete BEFORE DELETE ON sources BEGIN SELECT RAISE(ABORT,'sources: DELETE is never allowed'); END;
CREATE TRIGGER signing_keys_no_delete BEFORE DELETE ON signing_keys BEGIN SELECT RAISE(ABORT,'signing_keys: DELETE is never allowed'); END;
CREATE TRIGGER processed_events_no_delete BEFORE DELETE ON processed_events BEGIN SELECT RAISE(ABORT,'processed_events: DELETE is never allowed'); END;
CREATE TRIGGER jobs_no_delete BEFORE DELETE ON jobs BEGIN SELECT RAISE(ABORT,'jobs: DELETE is never allowed'); END;
CREATE TRIGGER dead_letters_no_delete BEFORE DELETE ON dead_letters BEGIN SELECT RAISE(ABORT,'dead_letters: DELETE is never allowed'); END;
CREATE TRIGGER intents_no_delete BEFORE DELETE ON intents BEGIN SELECT RAISE(ABORT,'intents: DELETE is never allowed'); END;
CREATE TRIGGER intent_uses_no_delete BEFORE DELETE ON intent_uses BEGIN SELECT RAISE(ABORT,'intent_uses: DELETE is never allowed'); END;
CREATE TRIGGER idempotency_keys_no_delete BEFORE DELETE ON idempotency_keys BEGIN SELECT RAISE(ABORT,'idempotency_keys: DELETE is never allowed'); END;
CREATE TRIGGER provider_calls_no_delete BEFORE DELETE ON provider_calls BEGIN SELECT RAISE(ABORT,'provider_calls: DELETE is never allowed'); END;
CREATE TRIGGER reconciliations_no_delete BEFORE DELETE ON reconciliations BEGIN SELECT RAISE(ABORT,'reconciliations: DELETE is never allowed'); END;
CREATE TRIGGER operator_actions_no_delete BEFORE DELETE ON operator_actions BEGIN SELECT RAISE(ABORT,'operator_actions: DELETE is never allowed'); END;
CREATE TRIGGER audit_head_no_delete BEFORE DELETE ON audit_head BEGIN SELECT RAISE(ABORT,'audit_head: DELETE is never allowed'); END;
CREATE TRIGGER proposals_no_delete BEFORE DELETE ON proposals BEGIN SELECT RAISE(ABORT,'proposals: DELETE is never allowed'); END;
CREATE TRIGGER case_notes_no_delete BEFORE DELETE ON case_notes BEGIN SELECT RAISE(ABORT,'case_notes: DELETE is never allowed'); END;
CREATE TRIGGER bulk_runs_no_delete BEFORE DELETE ON bulk_runs BEGIN SELECT RAISE(ABORT,'bulk_runs: DELETE is never allowed'); END;
CREATE TRIGGER bulk_items_no_delete BEFORE DELETE ON bulk_items BEGIN SELECT RAISE(ABORT,'bulk_items: DELETE is never allowed'); END;
CREATE TRIGGER holds_no_delete BEFORE DELETE ON holds BEGIN SELECT RAISE(ABORT,'holds: DELETE is never allowed'); END;
CREATE TRIGGER incidents_no_delete BEFORE DELETE ON incidents BEGIN SELECT RAISE(ABORT,'incidents: DELETE is never allowed'); END;
CREATE TRIGGER reconciliations_no_replace BEFORE INSERT ON reconciliations BEGIN SELECT RAISE(ABORT,'reconciliations: there already') WHERE EXISTS(SELECT 1 FROM reconciliations WHERE id=NEW.id); END;
CREATE TRIGGER intent_uses_no_replace BEFORE INSERT ON intent_uses BEGIN SELECT RAISE(ABORT,'intent_uses: there already') WHERE EXISTS(SELECT 1 FROM intent_uses WHERE job_id=NEW.job_id AND provider=NEW.provider AND provider_account=NEW.provider_account AND intent_key=NEW.intent_key); END;
CREATE TRIGGER dead_letters_no_replace BEFORE INSERT ON dead_letters BEGIN SELECT RAISE(ABORT,'dead_letters: there already') WHERE EXISTS(SELECT 1 FROM dead_letters WHERE id=NEW.id OR (job_id=NEW.job_id AND left_at IS NULL)); END;
CREATE TRIGGER proposals_no_replace BEFORE INSERT ON proposals BEGIN SELECT RAISE(ABORT,'proposals: there already') WHERE EXISTS(SELECT 1 FROM proposals WHERE id=NEW.id); END;
CREATE TRIGGER case_notes_no_replace BEFORE INSERT ON case_notes BEGIN SELECT RAISE(ABORT,'case_notes: there already') WHERE EXISTS(SELECT 1 FROM case_notes WHERE id=NEW.id); END;
CREATE TRIGGER holds_no_replace BEFORE INSERT ON holds BEGIN SELECT RAISE(ABORT,'holds: there already') WHERE EXISTS(SELECT 1 FROM holds WHERE id=NEW.id OR (kind=NEW.kind AND target=NEW.target AND released_at IS NULL)); END;
CREATE TRIGGER bulk_items_no_replace BEFORE INSERT ON bulk_items BEGIN SELECT RAISE(ABORT,'bulk_items: there already') WHERE EXISTS(SELECT 1 FROM bulk_items WHERE run_id=NEW.run_id AND (seq=NEW.seq OR target=NEW.target)); END;
CREATE TRIGGER sources_no_replace BEFORE INSERT ON sources BEGIN SELECT RAISE(ABORT,'sources: there already') WHERE EXISTS(SELECT 1 FROM sources WHERE id=NEW.id OR (provider=NEW.provider AND account=NEW.account) OR name=NEW.name); END;
CREATE TRIGGER signing_keys_no_replace BEFORE INSERT ON signing_keys BEGIN SELECT RAISE(ABORT,'signing_keys: there already') WHERE EXISTS(SELECT 1 FROM signing_keys WHERE id=NEW.id); END;
CREATE TRIGGER bulk_runs_no_replace BEFORE INSERT ON bulk_runs BEGIN SELECT RAISE(ABORT,'bulk_runs: there already') WHERE EXISTS(SELECT 1 FROM bulk_runs WHERE id=NEW.id); END;
CREATE TRIGGER audit_head_no_replace BEFORE INSERT ON audit_head BEGIN SELECT RAISE(ABORT,'audit_head: there already') WHERE EXISTS(SELECT 1 FROM audit_head WHERE 1); END;

