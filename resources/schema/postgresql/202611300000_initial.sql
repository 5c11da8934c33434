-- Unavez store, PostgreSQL 15+. Meaning: contract.md §10-12. One statement set for both stores: models/stores/sql.
-- Runs as the store's owner, in an empty database, in one transaction.
-- Times are timestamptz(3): finer ones break keyset cursors and compare-and-set through Qt.
-- Keys compare bytewise (COLLATE "C") so that PostgreSQL and SQLite page in the same order.

SET LOCAL client_min_messages = warning;

-- Roles are cluster-wide and have no login; people's and services' logins are members. Two stores of one server may be
-- made at once: whoever comes second waits for the first and finds the role there.
DO $$
DECLARE r text;
BEGIN
  FOREACH r IN ARRAY ARRAY['viewer','finance','operator','admin','edge','worker'] LOOP
    CONTINUE WHEN EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'unavez_' || r);
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', 'unavez_' || r);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
  END LOOP;
END $$;

CREATE SCHEMA unavez;
SET LOCAL search_path = unavez, pg_catalog;
REVOKE ALL ON SCHEMA unavez FROM PUBLIC;

CREATE FUNCTION now3() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT clock_timestamp()::timestamptz(3) $$;

------------------------------------------------------------------------------------------- the store itself
CREATE TABLE store_info (
  one              boolean PRIMARY KEY DEFAULT true CHECK (one),
  store_id         uuid NOT NULL DEFAULT gen_random_uuid(),
  mode             text NOT NULL CHECK (mode IN ('live','test','practice')),
  schema_version   text NOT NULL,
  epoch            bigint NOT NULL DEFAULT 1,
  state            text NOT NULL DEFAULT 'normal' CHECK (state IN ('normal','quarantine')),
  quarantine_from  timestamptz(3),
  created_at       timestamptz(3) NOT NULL DEFAULT now3()
);

CREATE TABLE sources (
  id            bigint PRIMARY KEY,                      -- 0 = none: resume jobs, failures on no configured route
  name          text NOT NULL UNIQUE,                    -- stripe:acct_1
  provider      text NOT NULL CHECK (provider IN ('none','stripe','telegram','standard','github','shopify','slack')),
  account       text NOT NULL DEFAULT '',
  retain_days   int  NOT NULL DEFAULT 45,
  serialize_by  text CHECK (serialize_by IN ('object_id')),
  created_at    timestamptz(3) NOT NULL DEFAULT now3(),
  UNIQUE (provider, account),
  CHECK (retain_days >= CASE provider WHEN 'stripe' THEN 30 WHEN 'telegram' THEN 2 ELSE 3 END)
);
INSERT INTO sources(id, name, provider) VALUES (0, '(none)', 'none');

CREATE TABLE signing_keys (
  id           text PRIMARY KEY,
  source_id    bigint NOT NULL REFERENCES sources,
  route        text NOT NULL,
  secret_ref   text NOT NULL,                            -- where the secret is kept, never the secret
  fingerprint  text NOT NULL CHECK (fingerprint ~ '^[0-9a-f]{12}$'),  -- of SHA-256(secret)
  not_before   timestamptz(3) NOT NULL DEFAULT now3(),
  not_after    timestamptz(3) NOT NULL DEFAULT 'infinity',
  CHECK (not_before < not_after)
);

------------------------------------------------------------------------------------------- deliveries in
CREATE TABLE processed_events (
  id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source_id           bigint NOT NULL REFERENCES sources,
  event_id            text COLLATE "C" NOT NULL CHECK (octet_length(event_id) BETWEEN 1 AND 255),
  event_type          text NOT NULL,
  object_id           text,
  change_id           text COLLATE "C" NOT NULL,         -- the snapshot event's id where this one names it, else event_id
  alias_event_id      text COLLATE "C",                  -- the other id the same change arrived under (thin and snapshot event)
  provider_created_at timestamptz(3),
  received_at         timestamptz(3) NOT NULL DEFAULT now3(),
  last_seen_at        timestamptz(3) NOT NULL DEFAULT now3(),
  deliveries          int NOT NULL DEFAULT 1,
  body_sha256         bytea NOT NULL CHECK (length(body_sha256) = 32),
  signing_key_id      text NOT NULL REFERENCES signing_keys,
  has_job             boolean NOT NULL DEFAULT false,    -- the edge inserts true and its job in one transaction (checked at commit)
  UNIQUE (source_id, event_id),
  UNIQUE (source_id, change_id)
);
CREATE INDEX events_alias         ON processed_events (alias_event_id) WHERE alias_event_id IS NOT NULL;
CREATE INDEX events_id            ON processed_events (event_id);
CREATE INDEX events_newest        ON processed_events (received_at, id);
CREATE INDEX events_by_source     ON processed_events (source_id, received_at, id);
CREATE INDEX events_lost          ON processed_events (received_at, id) WHERE NOT has_job;
CREATE INDEX events_object        ON processed_events (object_id, event_type) WHERE object_id IS NOT NULL;

-- Bodies apart: own grants, own retention. Weekly partitions, dropped whole.
CREATE TABLE event_payloads (
  event_pk     bigint NOT NULL,
  received_at  timestamptz(3) NOT NULL DEFAULT now3(),
  content_type text NOT NULL DEFAULT 'application/json',
  sealed_with  text,                                     -- fingerprint of the box's public key; NULL = plain
  body         bytea NOT NULL,
  PRIMARY KEY (event_pk, received_at)
) PARTITION BY RANGE (received_at);
CREATE TABLE event_payloads_rest PARTITION OF event_payloads DEFAULT;

CREATE FUNCTION ensure_payload_partitions(p_weeks int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog AS $$
DECLARE w date := date_trunc('week', clock_timestamp())::date; made int := 0; n text;
BEGIN
  FOR i IN 1 .. LEAST(p_weeks, 8) LOOP                   -- future weeks only: the rest partition holds none of their rows
    n := 'event_payloads_' || to_char(w + 7 * i, 'IYYY"w"IW');
    IF to_regclass('unavez.' || n) IS NULL THEN
      EXECUTE format('CREATE TABLE unavez.%I PARTITION OF unavez.event_payloads FOR VALUES FROM (%L) TO (%L)', n, w + 7 * i, w + 7 * (i + 1));
      made := made + 1;
    END IF;
  END LOOP;
  RETURN made;
END $$;

CREATE TABLE event_deliveries (                          -- the first 20 of an event
  event_pk       bigint NOT NULL REFERENCES processed_events,
  n              int NOT NULL CHECK (n BETWEEN 1 AND 20),
  at             timestamptz(3) NOT NULL DEFAULT now3(),
  signing_key_id text NOT NULL,
  peer           inet,
  answered_ms    int,
  PRIMARY KEY (event_pk, n)
);
CREATE INDEX deliveries_age ON event_deliveries (at);

CREATE TABLE signature_failures (                        -- one row per source, route, reason and minute; bounded by the edge
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source_id   bigint NOT NULL DEFAULT 0 REFERENCES sources,
  route       text NOT NULL,                             -- configured path or '(unknown)'
  reason      text NOT NULL CHECK (reason IN ('missing_header','malformed_header','no_supported_scheme','mismatch','too_old','too_new','body_too_large',
                'bad_token','not_json','no_event_id','test_event_on_live','live_event_on_test','unknown_source')),
  minute      timestamptz(3) NOT NULL,
  n           int NOT NULL DEFAULT 1,
  last_at     timestamptz(3) NOT NULL DEFAULT now3(),
  sig_at      timestamptz(3),
  body_len    int,
  body_sha256 bytea,
  peer        inet,
  UNIQUE (source_id, route, reason, minute)
);
CREATE INDEX failures_newest ON signature_failures (last_at, id);

CREATE TABLE minute_stats (                              -- 'ok', 'dup', 'key:<signing key>', 'fail:<reason>'
  source_id bigint NOT NULL REFERENCES sources,
  minute    timestamptz(3) NOT NULL,
  name      text NOT NULL,
  n         bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (source_id, minute, name)
);

------------------------------------------------------------------------------------------- jobs
CREATE TABLE jobs (
  id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind              text NOT NULL CHECK (kind IN ('event','resume')),
  event_pk          bigint REFERENCES processed_events,
  source_id         bigint NOT NULL DEFAULT 0 REFERENCES sources,
  provider          text COLLATE "C",                    -- kind 'resume': the key to settle
  provider_account  text COLLATE "C",
  key               text COLLATE "C",
  state             text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued','leased','retry_wait','done','dead','discarded')),
  attempts          int NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  max_attempts      int NOT NULL DEFAULT 8 CHECK (max_attempts > 0),
  postponed         int NOT NULL DEFAULT 0,              -- tries in a row that did not count
  run_at            timestamptz(3) NOT NULL DEFAULT now3(),
  lease_token       bigint NOT NULL DEFAULT 0,
  lease_owner       text,
  lease_expires_at  timestamptz(3),
  error_class       text,
  error_text        text CHECK (length(error_text) <= 2000),
  dead_at           timestamptz(3),
  finished_at       timestamptz(3),
  requeued_at       timestamptz(3),
  created_at        timestamptz(3) NOT NULL DEFAULT now3(),
  row_version       bigint NOT NULL DEFAULT 0,
  CHECK ((kind = 'event') = (event_pk IS NOT NULL)),
  CHECK ((kind = 'resume') = (key IS NOT NULL)),
  CHECK ((key IS NULL) = (provider IS NULL) AND (key IS NULL) = (provider_account IS NULL)),
  CHECK ((state = 'leased') = (lease_owner IS NOT NULL)),
  CHECK ((state = 'leased') = (lease_expires_at IS NOT NULL)),
  CHECK ((state = 'dead') = (dead_at IS NOT NULL)),
  CHECK ((state IN ('done','discarded')) = (finished_at IS NOT NULL))
);
CREATE UNIQUE INDEX one_job_per_event  ON jobs (event_pk) WHERE kind = 'event';
CREATE UNIQUE INDEX one_resume_per_key ON jobs (provider, provider_account, key) WHERE kind = 'resume' AND state NOT IN ('done','discarded');
CREATE INDEX jobs_ready  ON jobs (source_id, run_at, id)     WHERE state IN ('queued','retry_wait');
CREATE INDEX jobs_leased ON jobs (lease_expires_at, id)      WHERE state = 'leased';
CREATE INDEX jobs_dead   ON jobs (dead_at, id)               WHERE state = 'dead';

CREATE TABLE dead_letters (                              -- history: one row per stay in 'dead', by trigger
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id      bigint NOT NULL REFERENCES jobs,
  died_at     timestamptz(3) NOT NULL,
  attempts    int NOT NULL,
  error_class text,
  error_text  text,
  left_at     timestamptz(3),
  left_as     text CHECK (left_as IN ('queued','discarded')),
  CHECK ((left_at IS NULL) = (left_as IS NULL))
);
CREATE UNIQUE INDEX one_stay_at_a_time ON dead_letters (job_id) WHERE left_at IS NULL;

------------------------------------------------------------------------------------------- effects out
CREATE TABLE intents (
  provider           text COLLATE "C" NOT NULL,
  provider_account   text COLLATE "C" NOT NULL DEFAULT '',
  intent_key         text COLLATE "C" NOT NULL CHECK (intent_key ~ '^[a-z_]+(:[A-Za-z0-9_.%-]+)+$' AND intent_key !~ ':a[0-9]+$' AND octet_length(intent_key) <= 200),
  tool               text NOT NULL,
  amount_minor       bigint CHECK (amount_minor > 0),
  currency           text CHECK (currency ~ '^[a-z]{3}$'),
  customer_ref       text,
  plan               text,                               -- canonical JSON as text: jsonb would reorder it; NULL once emptied
  plan_sha256        bytea NOT NULL CHECK (length(plan_sha256) = 32),
  args_sha256        bytea NOT NULL CHECK (length(args_sha256) = 32),
  provider_object_id text,                               -- write-once: the PaymentIntent
  max_attempts       int NOT NULL DEFAULT 4 CHECK (max_attempts > 0),
  created_at         timestamptz(3) NOT NULL DEFAULT now3(),
  last_attempt       int NOT NULL DEFAULT 0,             -- these three kept by trigger on idempotency_keys
  last_status        text,
  last_status_at     timestamptz(3),
  emptied_at         timestamptz(3),
  PRIMARY KEY (provider, provider_account, intent_key),
  CHECK ((amount_minor IS NULL) = (currency IS NULL)),
  CHECK ((plan IS NULL) = (emptied_at IS NOT NULL))
);
CREATE INDEX intents_failed   ON intents (last_status_at, provider, provider_account, intent_key) WHERE last_status IN ('failed','abandoned');
CREATE INDEX intents_customer ON intents (customer_ref, created_at) WHERE customer_ref IS NOT NULL;
CREATE INDEX intents_amount   ON intents (currency, amount_minor, created_at) WHERE amount_minor IS NOT NULL;
CREATE INDEX intents_object   ON intents (provider_object_id) WHERE provider_object_id IS NOT NULL;

CREATE TABLE intent_uses (
  provider         text COLLATE "C" NOT NULL,
  provider_account text COLLATE "C" NOT NULL,
  intent_key       text COLLATE "C" NOT NULL,
  job_id           bigint NOT NULL REFERENCES jobs,
  first_at         timestamptz(3) NOT NULL DEFAULT now3(),
  PRIMARY KEY (job_id, provider, provider_account, intent_key),
  FOREIGN KEY (provider, provider_account, intent_key) REFERENCES intents
);
CREATE INDEX uses_of_intent ON intent_uses (provider, provider_account, intent_key, first_at);

CREATE TABLE idempotency_keys (
  provider           text COLLATE "C" NOT NULL,
  provider_account   text COLLATE "C" NOT NULL DEFAULT '',
  key                text COLLATE "C" NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 230),
  intent_key         text COLLATE "C" NOT NULL,
  attempt            int NOT NULL CHECK (attempt >= 1),
  status             text NOT NULL DEFAULT 'in_progress' CHECK (status IN ('opened','in_progress','unknown','done','failed','abandoned')),
  flag               text CHECK (flag IN ('awaiting_customer','awaiting_provider','awaiting_capture')),
  request            bytea,                              -- the steps as sent: method, path, headers, body; NULL while opened, and once emptied
  request_sha256     bytea CHECK (length(request_sha256) = 32),
  fence              bigint NOT NULL DEFAULT 1,
  owner              text,
  lease_expires_at   timestamptz(3),
  reserved_at        timestamptz(3) NOT NULL DEFAULT now3(),
  status_at          timestamptz(3) NOT NULL DEFAULT now3(),
  first_sent_at      timestamptz(3),
  last_sent_at       timestamptz(3),
  sends              int NOT NULL DEFAULT 0,
  window_s           int NOT NULL DEFAULT 86400 CHECK (window_s >= 0),   -- 0: the provider keeps no keys
  margin_s           int NOT NULL DEFAULT 14400 CHECK (margin_s >= 0),
  resume_until       timestamptz(3) NOT NULL DEFAULT 'infinity',
  outcome_class      text,
  provider_object_id text,
  result             text,
  error              text,
  completed_at       timestamptz(3),
  emptied_at         timestamptz(3),
  row_version        bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (provider, provider_account, key),
  UNIQUE (provider, provider_account, intent_key, attempt),
  FOREIGN KEY (provider, provider_account, intent_key) REFERENCES intents,
  CHECK (key = intent_key || ':a' || attempt),
  CHECK ((status = 'in_progress') = (lease_expires_at IS NOT NULL)),
  CHECK ((status = 'in_progress') = (owner IS NOT NULL)),
  CHECK ((status IN ('done','failed','abandoned')) = (completed_at IS NOT NULL)),
  CHECK (status <> 'done' OR provider_object_id IS NOT NULL),
  CHECK (status <> 'failed' OR outcome_class IS NOT NULL),
  CHECK (status IN ('opened','abandoned') OR request_sha256 IS NOT NULL),
  CHECK (status NOT IN ('in_progress','unknown') OR request IS NOT NULL),
  CHECK ((sends = 0) = (first_sent_at IS NULL) AND (sends = 0) = (last_sent_at IS NULL)),
  CHECK ((sends = 0) = (resume_until = 'infinity')),
  CHECK (emptied_at IS NULL OR (request IS NULL AND result IS NULL AND error IS NULL AND status IN ('done','failed','abandoned')))
);
CREATE UNIQUE INDEX one_open_or_done_attempt ON idempotency_keys (provider, provider_account, intent_key) WHERE status IN ('opened','in_progress','unknown','done');
CREATE UNIQUE INDEX one_reservation_per_object ON idempotency_keys (provider, provider_account, split_part(intent_key, ':', 1), provider_object_id) WHERE status = 'done';
CREATE INDEX keys_stuck   ON idempotency_keys (resume_until, provider, provider_account, key) WHERE status IN ('opened','in_progress');
CREATE INDEX keys_lease   ON idempotency_keys (lease_expires_at)                              WHERE status = 'in_progress';
CREATE INDEX keys_unknown ON idempotency_keys (status_at, provider, provider_account, key)    WHERE status = 'unknown';
CREATE INDEX keys_newest  ON idempotency_keys (reserved_at, provider, provider_account, key);
CREATE INDEX keys_object  ON idempotency_keys (provider_object_id) WHERE provider_object_id IS NOT NULL;
CREATE INDEX keys_sweep   ON idempotency_keys (completed_at) WHERE completed_at IS NOT NULL AND emptied_at IS NULL;

CREATE TABLE provider_calls (
  id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  provider            text COLLATE "C" NOT NULL,
  provider_account    text COLLATE "C" NOT NULL,
  key                 text COLLATE "C" NOT NULL,
  sent_key            text COLLATE "C" NOT NULL CHECK (octet_length(sent_key) <= 255),   -- key:create, key:confirm, key:send
  fence               bigint NOT NULL,
  job_id              bigint REFERENCES jobs,
  lease_token         bigint,
  sent_at             timestamptz(3) NOT NULL DEFAULT now3(),
  ended_at            timestamptz(3),
  http_status         int,
  request_id          text,
  original_request_id text,
  replayed            boolean,
  should_retry        boolean,
  error_type          text,
  error_code          text,
  decline_code        text,
  advice_code         text,
  object_id           text,
  class               text CHECK (class IN ('success','step','definitive_failure','retryable_same_key','unanswered','mismatch','unknown')),
  FOREIGN KEY (provider, provider_account, key) REFERENCES idempotency_keys,
  CHECK ((ended_at IS NULL) = (class IS NULL)),
  CHECK (starts_with(sent_key, key || ':'))
);
CREATE INDEX calls_of_key   ON provider_calls (provider, provider_account, key, id);
CREATE INDEX calls_sent_key ON provider_calls (provider, provider_account, sent_key);
CREATE INDEX calls_open     ON provider_calls (sent_at) WHERE ended_at IS NULL;
CREATE INDEX calls_of_job   ON provider_calls (job_id) WHERE job_id IS NOT NULL;

CREATE TABLE reconciliations (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  provider         text COLLATE "C" NOT NULL,
  provider_account text COLLATE "C" NOT NULL,
  key              text COLLATE "C" NOT NULL,
  verdict          text NOT NULL CHECK (verdict IN ('charged','failed','not_charged','double_charged')),
  source           text NOT NULL CHECK (source IN ('webhook','api','csv','json','person')),
  event_pk         bigint REFERENCES processed_events,
  object_ids       text[] NOT NULL DEFAULT '{}',
  amount_minor     bigint,
  currency         text,
  evidence_sha256  bytea NOT NULL CHECK (length(evidence_sha256) = 32),
  evidence_until   timestamptz(3) NOT NULL,
  by_login         text NOT NULL,
  proposal_id      bigint,
  at               timestamptz(3) NOT NULL DEFAULT now3(),
  FOREIGN KEY (provider, provider_account, key) REFERENCES idempotency_keys,
  CHECK (verdict = 'not_charged' OR cardinality(object_ids) > 0)
);
CREATE INDEX reconciliations_of_key ON reconciliations (provider, provider_account, key, id);

------------------------------------------------------------------------------------------- people
CREATE TABLE proposals (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  action      text NOT NULL,
  target      text NOT NULL,
  plan        text NOT NULL,
  reason      text NOT NULL CHECK (length(reason) >= 8),
  proposed_by text NOT NULL DEFAULT session_user,
  proposed_at timestamptz(3) NOT NULL DEFAULT now3(),
  decision    text CHECK (decision IN ('approved','rejected')),
  decided_by  text,
  decided_at  timestamptz(3),
  used_at     timestamptz(3),
  CHECK ((decision IS NULL) = (decided_by IS NULL) AND (decision IS NULL) = (decided_at IS NULL)),
  CHECK (decided_by <> proposed_by),
  CHECK (used_at IS NULL OR decision = 'approved')
);
CREATE INDEX proposals_open ON proposals (proposed_at, id) WHERE decision IS NULL;

CREATE TABLE bulk_runs (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  action     text NOT NULL,
  filter     text NOT NULL,                              -- the list's filter, as the person read it
  reason     text NOT NULL CHECK (length(reason) >= 8),
  started_by text NOT NULL DEFAULT session_user,
  started_at timestamptz(3) NOT NULL DEFAULT now3(),
  state      text NOT NULL DEFAULT 'running' CHECK (state IN ('running','paused','finished','cancelled')),
  per_second int NOT NULL DEFAULT 50 CHECK (per_second > 0),
  total      int NOT NULL,
  next_seq   int NOT NULL DEFAULT 1,
  finished_at timestamptz(3)
);
CREATE TABLE bulk_items (
  run_id    bigint NOT NULL REFERENCES bulk_runs,
  seq       int NOT NULL,
  target    text NOT NULL,
  seen      bigint NOT NULL,                             -- row version in the frozen set
  result    text CHECK (result IN ('applied','refused','changed','missing')),
  reason    text,
  at        timestamptz(3),
  log_id    bigint,
  PRIMARY KEY (run_id, seq),
  UNIQUE (run_id, target)
);
CREATE INDEX bulk_items_todo ON bulk_items (run_id, seq) WHERE result IS NULL;

CREATE TABLE operator_actions (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at           timestamptz(3) NOT NULL DEFAULT now3(),
  operator     text NOT NULL,
  executed_by  text NOT NULL,
  action       text NOT NULL CHECK (action IN ('requeue_job','release_lease','expire_reservation','open_attempt','record_outcome','discard_job','enqueue_event','hold')),
  target       text NOT NULL,
  reason       text NOT NULL CHECK (length(reason) >= 8),
  plan         text NOT NULL,                            -- JSON text: rows, before and after, versions seen
  rows_changed int NOT NULL,
  refused      text,                                     -- reason code when rows_changed = 0
  proposal_id  bigint REFERENCES proposals,
  bulk_run_id  bigint,
  bulk_seq     int,
  canonical    text NOT NULL,                            -- what was hashed
  prev_hash    bytea NOT NULL CHECK (length(prev_hash) = 32),
  hash         bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  CHECK ((rows_changed = 0) = (refused IS NOT NULL)),
  FOREIGN KEY (bulk_run_id, bulk_seq) REFERENCES bulk_items
);
CREATE INDEX actions_target ON operator_actions (target, id);
CREATE TABLE audit_head (
  one       boolean PRIMARY KEY DEFAULT true CHECK (one),
  last_id   bigint NOT NULL DEFAULT 0,
  last_hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex')
);
INSERT INTO audit_head DEFAULT VALUES;

CREATE TABLE case_notes (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subject text NOT NULL,                                 -- job:48211, key:stripe/acct_1/charge:inv_42:a1, event:17
  kind    text NOT NULL CHECK (kind IN ('claim','release','note')),
  by_login text NOT NULL DEFAULT session_user,
  at      timestamptz(3) NOT NULL DEFAULT now3(),
  body    text NOT NULL DEFAULT '' CHECK (length(body) <= 4000)
);
CREATE INDEX notes_of_subject ON case_notes (subject, id);

CREATE TABLE holds (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        text NOT NULL CHECK (kind IN ('tool','source','sends')),
  target      text NOT NULL DEFAULT '',                  -- tool name, source id as text, '' for sends
  reason      text NOT NULL,
  placed_by   text NOT NULL,
  placed_at   timestamptz(3) NOT NULL DEFAULT now3(),
  released_by text,
  released_at timestamptz(3),
  CHECK ((kind = 'sends') = (target = '')),
  CHECK ((released_at IS NULL) = (released_by IS NULL))
);
CREATE UNIQUE INDEX holds_now ON holds (kind, target) WHERE released_at IS NULL;

CREATE TABLE incidents (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind      text NOT NULL CHECK (kind IN ('mismatch','credential','outcome_conflict','double_charge','reversed','live_event_on_test','body_changed',
              'clock_went_back','clock_skew','pii_in_key','restore','chain_broken')),
  subject   text NOT NULL,
  severity  text NOT NULL CHECK (severity IN ('red','amber','info')),
  detail    text NOT NULL DEFAULT '{}',
  opened_at timestamptz(3) NOT NULL DEFAULT now3(),
  last_at   timestamptz(3) NOT NULL DEFAULT now3(),
  n         int NOT NULL DEFAULT 1,
  closed_at timestamptz(3),
  closed_by text,
  CHECK ((closed_at IS NULL) = (closed_by IS NULL))
);
CREATE UNIQUE INDEX incidents_open ON incidents (kind, subject) WHERE closed_at IS NULL;
CREATE INDEX incidents_newest ON incidents (last_at, id);

CREATE TABLE services (
  instance           text PRIMARY KEY,
  host               text NOT NULL,
  pid                int NOT NULL,
  version            text NOT NULL,
  roles              text[] NOT NULL,
  config_sha256      bytea NOT NULL,
  secret_fingerprints text[] NOT NULL DEFAULT '{}',
  db_skew_ms         int,
  provider_skew_ms   int,
  started_at         timestamptz(3) NOT NULL DEFAULT now3(),
  heartbeat_at       timestamptz(3) NOT NULL DEFAULT now3(),
  stopped_at         timestamptz(3)
);

------------------------------------------------------------------------------------------- guard triggers
-- SECURITY DEFINER where they write another table, so that nobody needs a right on the derived columns.
CREATE FUNCTION never() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '%: % is never allowed', TG_TABLE_NAME, TG_OP USING ERRCODE = 'integrity_constraint_violation'; END $$;

CREATE FUNCTION event_guard() RETURNS trigger LANGUAGE plpgsql SET search_path = unavez, pg_catalog AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.deliveries < 1 OR NEW.change_id IS NULL THEN RAISE EXCEPTION 'event %: must start plain', NEW.event_id USING ERRCODE = 'check_violation'; END IF;
    RETURN NEW;
  END IF;
  IF (NEW.source_id, NEW.event_id, NEW.change_id, NEW.event_type, NEW.object_id, NEW.received_at, NEW.body_sha256, NEW.signing_key_id)
     IS DISTINCT FROM (OLD.source_id, OLD.event_id, OLD.change_id, OLD.event_type, OLD.object_id, OLD.received_at, OLD.body_sha256, OLD.signing_key_id)
     OR NEW.deliveries < OLD.deliveries OR (OLD.has_job AND NOT NEW.has_job)
     OR (OLD.alias_event_id IS NOT NULL AND NEW.alias_event_id IS DISTINCT FROM OLD.alias_event_id)
  THEN RAISE EXCEPTION 'event %: immutable', OLD.event_id USING ERRCODE = 'check_violation'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER event_guard BEFORE INSERT OR UPDATE ON processed_events FOR EACH ROW EXECUTE FUNCTION event_guard();

CREATE FUNCTION event_job_check() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM jobs WHERE kind = 'event' AND event_pk = NEW.id) THEN RAISE EXCEPTION 'event %: committed without its job', NEW.event_id USING ERRCODE = 'check_violation'; END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER event_job_check AFTER INSERT ON processed_events DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.has_job) EXECUTE FUNCTION event_job_check();

CREATE FUNCTION job_guard() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF (NEW.state, NEW.attempts, NEW.lease_token, NEW.row_version, NEW.postponed) <> ('queued', 0, 0, 0, 0)
    THEN RAISE EXCEPTION 'job: must start as queued' USING ERRCODE = 'check_violation'; END IF;
    RETURN NEW;
  END IF;
  IF (NEW.kind, NEW.event_pk, NEW.source_id, NEW.provider, NEW.provider_account, NEW.key, NEW.created_at)
     IS DISTINCT FROM (OLD.kind, OLD.event_pk, OLD.source_id, OLD.provider, OLD.provider_account, OLD.key, OLD.created_at)
     OR NEW.lease_token < OLD.lease_token OR NEW.attempts < OLD.attempts - 1 OR NEW.max_attempts < OLD.max_attempts
  THEN RAISE EXCEPTION 'job %: identity and counters are immutable', OLD.id USING ERRCODE = 'check_violation'; END IF;
  NEW.row_version := OLD.row_version + 1;
  IF NEW.state = OLD.state THEN
    IF OLD.state IN ('done','discarded') THEN RAISE EXCEPTION 'job %: % is final', OLD.id, OLD.state USING ERRCODE = 'check_violation'; END IF;
    IF OLD.state = 'leased' AND NEW.lease_token = OLD.lease_token AND NEW.lease_owner IS DISTINCT FROM OLD.lease_owner
    THEN RAISE EXCEPTION 'job %: a new owner needs a new token', OLD.id USING ERRCODE = 'check_violation'; END IF;
    RETURN NEW;
  END IF;
  IF (OLD.state, NEW.state) NOT IN (('queued','leased'),('retry_wait','leased'),('leased','done'),('leased','retry_wait'),('leased','dead'),('dead','queued'),('dead','discarded'))
  THEN RAISE EXCEPTION 'job %: % -> % is not allowed', OLD.id, OLD.state, NEW.state USING ERRCODE = 'check_violation'; END IF;
  IF NEW.state = 'leased' AND NEW.lease_token <= OLD.lease_token
  THEN RAISE EXCEPTION 'job %: a lease needs a new token', OLD.id USING ERRCODE = 'check_violation'; END IF;
  IF NEW.state = 'done' AND EXISTS (
       SELECT 1 FROM intent_uses u JOIN idempotency_keys k USING (provider, provider_account, intent_key)
        WHERE u.job_id = OLD.id AND k.status IN ('opened','in_progress','unknown'))
  THEN RAISE EXCEPTION 'job %: an effect is still open', OLD.id USING ERRCODE = 'check_violation', HINT = 'open_effect'; END IF;
  IF NEW.state = 'done' AND OLD.kind = 'resume' AND EXISTS (
       SELECT 1 FROM idempotency_keys k WHERE (k.provider, k.provider_account, k.key) = (OLD.provider, OLD.provider_account, OLD.key) AND k.status IN ('opened','in_progress','unknown'))
  THEN RAISE EXCEPTION 'job %: its key is still open', OLD.id USING ERRCODE = 'check_violation', HINT = 'open_effect'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER job_guard BEFORE INSERT OR UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION job_guard();

CREATE FUNCTION job_follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.event_pk IS NOT NULL THEN UPDATE processed_events SET has_job = true WHERE id = NEW.event_pk AND NOT has_job; END IF;
  ELSIF NEW.state = 'dead' AND OLD.state <> 'dead' THEN
    INSERT INTO dead_letters(job_id, died_at, attempts, error_class, error_text) VALUES (NEW.id, NEW.dead_at, NEW.attempts, NEW.error_class, NEW.error_text);
  ELSIF OLD.state = 'dead' AND NEW.state <> 'dead' THEN
    UPDATE dead_letters SET left_at = now3(), left_as = NEW.state WHERE job_id = NEW.id AND left_at IS NULL;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER job_follow AFTER INSERT OR UPDATE OF state ON jobs FOR EACH ROW EXECUTE FUNCTION job_follow();

CREATE FUNCTION intent_guard() RETURNS trigger LANGUAGE plpgsql SET search_path = unavez, pg_catalog AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.last_attempt <> 0 OR NEW.last_status IS NOT NULL OR NEW.emptied_at IS NOT NULL OR NEW.provider_object_id IS NOT NULL
    THEN RAISE EXCEPTION 'intent %: must start plain', NEW.intent_key USING ERRCODE = 'check_violation'; END IF;
    RETURN NEW;
  END IF;
  IF (NEW.provider, NEW.provider_account, NEW.intent_key, NEW.tool, NEW.amount_minor, NEW.currency, NEW.customer_ref, NEW.plan_sha256, NEW.args_sha256, NEW.created_at, NEW.max_attempts)
     IS DISTINCT FROM (OLD.provider, OLD.provider_account, OLD.intent_key, OLD.tool, OLD.amount_minor, OLD.currency, OLD.customer_ref, OLD.plan_sha256, OLD.args_sha256, OLD.created_at, OLD.max_attempts)
     OR (OLD.provider_object_id IS NOT NULL AND NEW.provider_object_id IS DISTINCT FROM OLD.provider_object_id)
     OR (NEW.plan IS DISTINCT FROM OLD.plan AND NOT (NEW.plan IS NULL AND OLD.last_status = 'done'))
     OR NEW.last_attempt < OLD.last_attempt
  THEN RAISE EXCEPTION 'intent %: the plan is frozen', OLD.intent_key USING ERRCODE = 'check_violation'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER intent_guard BEFORE INSERT OR UPDATE ON intents FOR EACH ROW EXECUTE FUNCTION intent_guard();

CREATE FUNCTION key_guard() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog AS $$
DECLARE l record; ok boolean;
BEGIN
  IF TG_OP = 'INSERT' THEN
    -- the same key again: let the unique index answer, so that ON CONFLICT DO NOTHING works
    IF EXISTS (SELECT 1 FROM idempotency_keys k WHERE (k.provider, k.provider_account, k.key) = (NEW.provider, NEW.provider_account, NEW.key)) THEN RETURN NEW; END IF;
    IF NEW.status NOT IN ('in_progress','opened') OR NEW.sends <> 0 OR NEW.row_version <> 0 OR NEW.completed_at IS NOT NULL
       OR NEW.fence <> (CASE NEW.status WHEN 'opened' THEN 0 ELSE 1 END)
       OR (NEW.status = 'in_progress') IS DISTINCT FROM (NEW.request IS NOT NULL)
       OR (NEW.status = 'opened' AND NEW.attempt = 1)
    THEN RAISE EXCEPTION 'reservation %: must start as in_progress with its bytes, or as opened', NEW.key USING ERRCODE = 'check_violation'; END IF;
    IF NEW.request IS NOT NULL AND NEW.request_sha256 IS DISTINCT FROM sha256(NEW.request)
    THEN RAISE EXCEPTION 'reservation %: hash of other bytes', NEW.key USING ERRCODE = 'check_violation'; END IF;
    SELECT * INTO l FROM idempotency_keys k
     WHERE (k.provider, k.provider_account, k.intent_key) = (NEW.provider, NEW.provider_account, NEW.intent_key) ORDER BY attempt DESC LIMIT 1;
    IF NOT FOUND THEN
      IF NEW.attempt <> 1 THEN RAISE EXCEPTION 'reservation %: first attempt is 1', NEW.key USING ERRCODE = 'check_violation'; END IF;
      RETURN NEW;
    END IF;
    IF NEW.attempt <> l.attempt + 1 OR NEW.status <> 'opened'
       OR NEW.attempt > (SELECT max_attempts FROM intents i WHERE (i.provider, i.provider_account, i.intent_key) = (NEW.provider, NEW.provider_account, NEW.intent_key))
    THEN RAISE EXCEPTION 'reservation %: the next attempt is %, opened by an operator', NEW.key, l.attempt + 1 USING ERRCODE = 'check_violation'; END IF;
    ok := (l.status = 'failed' AND l.outcome_class = 'definitive_failure')
       OR (l.status = 'abandoned' AND (l.sends = 0 OR EXISTS (SELECT 1 FROM reconciliations r
            WHERE (r.provider, r.provider_account, r.key) = (l.provider, l.provider_account, l.key) AND r.verdict = 'not_charged' AND r.evidence_until >= l.last_sent_at)));
    IF NOT ok THEN RAISE EXCEPTION 'reservation %: % is %, not proven without effect', NEW.key, l.key, l.status USING ERRCODE = 'check_violation'; END IF;
    RETURN NEW;
  END IF;

  IF (NEW.provider, NEW.provider_account, NEW.key, NEW.intent_key, NEW.attempt, NEW.window_s, NEW.margin_s, NEW.reserved_at)
     IS DISTINCT FROM (OLD.provider, OLD.provider_account, OLD.key, OLD.intent_key, OLD.attempt, OLD.window_s, OLD.margin_s, OLD.reserved_at)
  THEN RAISE EXCEPTION 'reservation %: identity and window are immutable', OLD.key USING ERRCODE = 'check_violation'; END IF;
  IF NEW.fence < OLD.fence OR NEW.sends NOT IN (OLD.sends, OLD.sends + 1)
  THEN RAISE EXCEPTION 'reservation %: counters may not go back', OLD.key USING ERRCODE = 'check_violation'; END IF;
  IF (OLD.first_sent_at IS NOT NULL AND NEW.first_sent_at IS DISTINCT FROM OLD.first_sent_at) OR (OLD.sends > 0 AND NEW.resume_until IS DISTINCT FROM OLD.resume_until)
     OR NEW.last_sent_at < OLD.last_sent_at
  THEN RAISE EXCEPTION 'reservation %: first send and cutoff are write-once', OLD.key USING ERRCODE = 'check_violation'; END IF;
  IF OLD.sends = 0 AND NEW.sends = 1 AND NEW.resume_until > NEW.first_sent_at + make_interval(secs => GREATEST(OLD.window_s - OLD.margin_s, 0))
  THEN RAISE EXCEPTION 'reservation %: cutoff beyond the window', OLD.key USING ERRCODE = 'check_violation'; END IF;
  IF OLD.request_sha256 IS NOT NULL AND NEW.request_sha256 IS DISTINCT FROM OLD.request_sha256
  THEN RAISE EXCEPTION 'reservation %: the request is frozen', OLD.key USING ERRCODE = 'check_violation'; END IF;
  IF NEW.request IS DISTINCT FROM OLD.request AND NOT
     ((OLD.status = 'opened' AND NEW.status = 'in_progress' AND NEW.request_sha256 = sha256(NEW.request)) OR (NEW.request IS NULL AND NEW.emptied_at IS NOT NULL))
  THEN RAISE EXCEPTION 'reservation %: the request is frozen', OLD.key USING ERRCODE = 'check_violation'; END IF;
  NEW.row_version := OLD.row_version + 1;

  IF NEW.status = OLD.status THEN
    IF OLD.status IN ('done','failed','abandoned') AND
       ((NEW.provider_object_id, NEW.outcome_class, NEW.completed_at, NEW.status_at, NEW.sends) IS DISTINCT FROM (OLD.provider_object_id, OLD.outcome_class, OLD.completed_at, OLD.status_at, OLD.sends)
        OR ((NEW.result, NEW.error) IS DISTINCT FROM (OLD.result, OLD.error) AND NEW.emptied_at IS NULL)
        OR (OLD.emptied_at IS NOT NULL AND NEW.emptied_at IS DISTINCT FROM OLD.emptied_at))
    THEN RAISE EXCEPTION 'reservation %: its outcome is final', OLD.key USING ERRCODE = 'check_violation'; END IF;
    IF OLD.status = 'in_progress' AND NEW.fence = OLD.fence AND NEW.owner IS DISTINCT FROM OLD.owner
    THEN RAISE EXCEPTION 'reservation %: a new owner needs a new fence', OLD.key USING ERRCODE = 'check_violation'; END IF;
    IF OLD.status = 'in_progress' AND NEW.fence > OLD.fence AND OLD.sends > 0 AND (OLD.resume_until <= now3() OR OLD.first_sent_at > now3())
    THEN RAISE EXCEPTION 'reservation %: past its cutoff', OLD.key USING ERRCODE = 'check_violation'; END IF;
    IF OLD.status <> 'in_progress' AND NEW.sends <> OLD.sends
    THEN RAISE EXCEPTION 'reservation %: nothing is sent while %', OLD.key, OLD.status USING ERRCODE = 'check_violation'; END IF;
    RETURN NEW;
  END IF;

  IF NEW.sends <> OLD.sends THEN RAISE EXCEPTION 'reservation %: a send mark changes no status', OLD.key USING ERRCODE = 'check_violation'; END IF;
  NEW.status_at := now3();
  ok := CASE OLD.status
    WHEN 'opened' THEN (NEW.status = 'in_progress' AND NEW.fence > OLD.fence) OR (NEW.status = 'abandoned' AND NEW.fence > OLD.fence)
    WHEN 'in_progress' THEN CASE NEW.status
      WHEN 'unknown'   THEN OLD.sends > 0 AND (NEW.fence = OLD.fence OR OLD.resume_until <= now3() OR OLD.first_sent_at > now3())
      WHEN 'done'      THEN (NEW.fence = OLD.fence AND OLD.sends > 0) OR proved(OLD.provider, OLD.provider_account, OLD.key, 'charged', NEW.provider_object_id, NULL)
      WHEN 'failed'    THEN (NEW.fence = OLD.fence AND OLD.sends > 0) OR proved(OLD.provider, OLD.provider_account, OLD.key, 'failed', NULL, NULL)
      WHEN 'abandoned' THEN OLD.sends = 0 AND NEW.fence > OLD.fence AND OLD.lease_expires_at < now3()
      ELSE false END
    WHEN 'unknown' THEN CASE NEW.status
      WHEN 'done'      THEN proved(OLD.provider, OLD.provider_account, OLD.key, 'charged', NEW.provider_object_id, NULL)
      WHEN 'failed'    THEN proved(OLD.provider, OLD.provider_account, OLD.key, 'failed', NULL, NULL)
      WHEN 'abandoned' THEN proved(OLD.provider, OLD.provider_account, OLD.key, 'not_charged', NULL, OLD.last_sent_at)
      ELSE false END
    WHEN 'failed'    THEN NEW.status = 'done' AND proved(OLD.provider, OLD.provider_account, OLD.key, 'charged', NEW.provider_object_id, NULL)
    WHEN 'abandoned' THEN NEW.status = 'done' AND OLD.sends > 0 AND proved(OLD.provider, OLD.provider_account, OLD.key, 'charged', NEW.provider_object_id, NULL)
    ELSE false END;
  IF NOT ok THEN RAISE EXCEPTION 'reservation %: % -> % is not allowed', OLD.key, OLD.status, NEW.status USING ERRCODE = 'check_violation'; END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION proved(p_provider text, p_account text, p_key text, p_verdict text, p_object text, p_until timestamptz) RETURNS boolean
LANGUAGE sql STABLE SET search_path = unavez, pg_catalog AS $$
  SELECT EXISTS (SELECT 1 FROM reconciliations r WHERE (r.provider, r.provider_account, r.key, r.verdict) = (p_provider, p_account, p_key, p_verdict)
    AND (p_object IS NULL OR p_object = ANY (r.object_ids)) AND (p_until IS NULL OR r.evidence_until >= p_until)) $$;
CREATE TRIGGER key_guard BEFORE INSERT OR UPDATE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION key_guard();

CREATE FUNCTION key_follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog AS $$
BEGIN
  UPDATE intents i SET last_attempt = NEW.attempt, last_status = NEW.status, last_status_at = NEW.status_at
   WHERE (i.provider, i.provider_account, i.intent_key) = (NEW.provider, NEW.provider_account, NEW.intent_key) AND i.last_attempt <= NEW.attempt;
  RETURN NULL;
END $$;
CREATE TRIGGER key_follow AFTER INSERT OR UPDATE OF status ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION key_follow();

CREATE FUNCTION call_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.ended_at IS NOT NULL THEN RAISE EXCEPTION 'provider call: starts unanswered' USING ERRCODE = 'check_violation'; END IF;
    RETURN NEW;
  END IF;
  IF OLD.ended_at IS NOT NULL OR (NEW.id, NEW.provider, NEW.provider_account, NEW.key, NEW.sent_key, NEW.fence, NEW.job_id, NEW.lease_token, NEW.sent_at)
     IS DISTINCT FROM (OLD.id, OLD.provider, OLD.provider_account, OLD.key, OLD.sent_key, OLD.fence, OLD.job_id, OLD.lease_token, OLD.sent_at)
  THEN RAISE EXCEPTION 'provider call %: completed once, else immutable', OLD.id USING ERRCODE = 'check_violation'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER call_guard BEFORE INSERT OR UPDATE ON provider_calls FOR EACH ROW EXECUTE FUNCTION call_guard();

CREATE FUNCTION once_guard() RETURNS trigger LANGUAGE plpgsql AS $$   -- rows with one permitted, final change
BEGIN
  IF TG_TABLE_NAME = 'store_info' THEN
    IF (NEW.mode, NEW.store_id) IS DISTINCT FROM (OLD.mode, OLD.store_id) OR NEW.epoch < OLD.epoch THEN RAISE EXCEPTION 'store_info: mode and identity are immutable' USING ERRCODE = 'check_violation'; END IF;
  ELSIF TG_TABLE_NAME = 'sources' THEN
    IF (NEW.id, NEW.provider, NEW.account) IS DISTINCT FROM (OLD.id, OLD.provider, OLD.account) THEN RAISE EXCEPTION 'sources: identity is immutable' USING ERRCODE = 'check_violation'; END IF;
  ELSIF TG_TABLE_NAME = 'dead_letters' THEN
    IF OLD.left_at IS NOT NULL OR (NEW.job_id, NEW.died_at, NEW.error_text) IS DISTINCT FROM (OLD.job_id, OLD.died_at, OLD.error_text) THEN RAISE EXCEPTION 'dead_letters: history' USING ERRCODE = 'check_violation'; END IF;
  ELSIF TG_TABLE_NAME = 'proposals' THEN
    IF (NEW.action, NEW.target, NEW.plan, NEW.reason, NEW.proposed_by, NEW.proposed_at) IS DISTINCT FROM (OLD.action, OLD.target, OLD.plan, OLD.reason, OLD.proposed_by, OLD.proposed_at)
       OR (OLD.decision IS NOT NULL AND (NEW.decision, NEW.decided_by) IS DISTINCT FROM (OLD.decision, OLD.decided_by)) OR OLD.used_at IS NOT NULL
    THEN RAISE EXCEPTION 'proposal %: decided once, used once', OLD.id USING ERRCODE = 'check_violation'; END IF;
  ELSIF TG_TABLE_NAME = 'holds' THEN
    IF OLD.released_at IS NOT NULL OR (NEW.kind, NEW.target, NEW.placed_by, NEW.placed_at) IS DISTINCT FROM (OLD.kind, OLD.target, OLD.placed_by, OLD.placed_at) THEN RAISE EXCEPTION 'holds: released once' USING ERRCODE = 'check_violation'; END IF;
  ELSIF TG_TABLE_NAME = 'bulk_items' THEN
    IF OLD.result IS NOT NULL OR (NEW.run_id, NEW.seq, NEW.target, NEW.seen) IS DISTINCT FROM (OLD.run_id, OLD.seq, OLD.target, OLD.seen) THEN RAISE EXCEPTION 'bulk_items: frozen set' USING ERRCODE = 'check_violation'; END IF;
  ELSIF TG_TABLE_NAME = 'incidents' THEN
    IF OLD.closed_at IS NOT NULL OR (NEW.kind, NEW.subject, NEW.opened_at) IS DISTINCT FROM (OLD.kind, OLD.subject, OLD.opened_at) THEN RAISE EXCEPTION 'incidents: closed once' USING ERRCODE = 'check_violation'; END IF;
  END IF;
  RETURN NEW;
END $$;
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['store_info','sources','dead_letters','proposals','holds','bulk_items','incidents'] LOOP
    EXECUTE format('CREATE TRIGGER once_guard BEFORE UPDATE ON unavez.%I FOR EACH ROW EXECUTE FUNCTION unavez.once_guard()', t);
  END LOOP;
  FOREACH t IN ARRAY ARRAY['reconciliations','operator_actions','intent_uses','case_notes'] LOOP
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE ON unavez.%I FOR EACH ROW EXECUTE FUNCTION unavez.never()', t);
  END LOOP;
  FOREACH t IN ARRAY ARRAY['store_info','sources','signing_keys','processed_events','jobs','dead_letters','intents','intent_uses','idempotency_keys','provider_calls','reconciliations',
                           'operator_actions','audit_head','proposals','case_notes','bulk_runs','bulk_items','holds','incidents'] LOOP
    EXECUTE format('CREATE TRIGGER no_delete BEFORE DELETE ON unavez.%I FOR EACH ROW EXECUTE FUNCTION unavez.never()', t);
    EXECUTE format('CREATE TRIGGER no_truncate BEFORE TRUNCATE ON unavez.%I FOR EACH STATEMENT EXECUTE FUNCTION unavez.never()', t);
  END LOOP;
END $$;

------------------------------------------------------------------------------------------- what operators may call
-- These functions decide nothing. The C++ guard decides, on what lock_case returned, in the same transaction.
-- Lock order everywhere: jobs -> keys -> intents -> audit_head.
CREATE FUNCTION lock_case(p_jobs bigint[], p_intents jsonb DEFAULT '[]') RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog SET lock_timeout = '2s' AS $$
DECLARE r jsonb; want jsonb;
BEGIN
  -- the named intents and those the jobs used: [["stripe","acct_1","charge:inv_42"], …]
  SELECT COALESCE(jsonb_agg(DISTINCT x), '[]') INTO want FROM (
    SELECT x FROM jsonb_array_elements(p_intents) x
    UNION SELECT jsonb_build_array(provider, provider_account, intent_key) FROM intent_uses WHERE job_id = ANY (p_jobs)) s;
  PERFORM 1 FROM jobs WHERE id = ANY (p_jobs) ORDER BY id FOR UPDATE;
  PERFORM 1 FROM idempotency_keys k JOIN jsonb_array_elements(want) x ON (k.provider, k.provider_account, k.intent_key) = (x->>0, x->>1, x->>2)
    ORDER BY k.provider, k.provider_account, k.key FOR UPDATE OF k;
  PERFORM 1 FROM intents i JOIN jsonb_array_elements(want) x ON (i.provider, i.provider_account, i.intent_key) = (x->>0, x->>1, x->>2)
    ORDER BY i.provider, i.provider_account, i.intent_key FOR UPDATE OF i;
  SELECT jsonb_build_object('now', now3(), 'store', (SELECT to_jsonb(s) FROM store_info s),
    'jobs',    COALESCE((SELECT jsonb_agg(to_jsonb(j) ORDER BY j.id) FROM jobs j WHERE j.id = ANY (p_jobs)), '[]'),
    'events',  COALESCE((SELECT jsonb_agg(to_jsonb(e) || jsonb_build_object('has_payload', EXISTS (SELECT 1 FROM event_payloads p WHERE p.event_pk = e.id)))
                           FROM processed_events e JOIN jobs j ON j.event_pk = e.id WHERE j.id = ANY (p_jobs)), '[]'),
    'intents', COALESCE((SELECT jsonb_agg(to_jsonb(i)) FROM intents i JOIN jsonb_array_elements(want) x ON (i.provider, i.provider_account, i.intent_key) = (x->>0, x->>1, x->>2)), '[]'),
    'uses',    COALESCE((SELECT jsonb_agg(to_jsonb(u) || jsonb_build_object('job_state', j.state, 'job_version', j.row_version) ORDER BY u.first_at)
                           FROM intent_uses u JOIN jobs j ON j.id = u.job_id JOIN jsonb_array_elements(want) x ON (u.provider, u.provider_account, u.intent_key) = (x->>0, x->>1, x->>2)), '[]'),
    'keys',    COALESCE((SELECT jsonb_agg(to_jsonb(k) - 'request' ORDER BY k.intent_key, k.attempt)
                           FROM idempotency_keys k JOIN jsonb_array_elements(want) x ON (k.provider, k.provider_account, k.intent_key) = (x->>0, x->>1, x->>2)), '[]'),
    'calls',   COALESCE((SELECT jsonb_agg(to_jsonb(c) ORDER BY c.id) FROM provider_calls c JOIN idempotency_keys k USING (provider, provider_account, key)
                           JOIN jsonb_array_elements(want) x ON (k.provider, k.provider_account, k.intent_key) = (x->>0, x->>1, x->>2)), '[]'),
    'holds',   COALESCE((SELECT jsonb_agg(to_jsonb(h)) FROM holds h WHERE released_at IS NULL), '[]'),
    'incidents', COALESCE((SELECT jsonb_agg(to_jsonb(n)) FROM incidents n WHERE closed_at IS NULL AND n.kind IN ('mismatch','double_charge')), '[]')) INTO r;
  RETURN r;
END $$;

-- The audit row, chained. Last step of every apply_*: the head is locked for the shortest time.
CREATE FUNCTION write_audit(p_action text, p_target text, p_reason text, p_plan text, p_rows int, p_refused text, p_proposal bigint, p_run bigint, p_seq int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog AS $$
DECLARE h audit_head; v_at timestamptz := now3(); v_op text := session_user; c text; v_hash bytea; v_id bigint;
BEGIN
  IF p_run IS NOT NULL THEN SELECT started_by INTO STRICT v_op FROM bulk_runs WHERE id = p_run; END IF;
  IF p_proposal IS NOT NULL AND p_rows > 0 THEN
    UPDATE proposals SET used_at = v_at WHERE id = p_proposal AND decision = 'approved' AND used_at IS NULL AND action = p_action AND target = p_target
       AND v_at < proposed_at + interval '24 hours';
    IF NOT FOUND THEN RAISE EXCEPTION 'proposal % does not cover this', p_proposal USING ERRCODE = 'check_violation', HINT = 'second_person_needed'; END IF;
  END IF;
  SELECT * INTO STRICT h FROM audit_head FOR UPDATE;
  c := jsonb_build_object('at', to_char(v_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'operator', v_op, 'executed_by', session_user, 'action', p_action, 'target', p_target,
         'reason', p_reason, 'plan', p_plan, 'rows', p_rows, 'refused', p_refused, 'proposal', p_proposal, 'run', p_run, 'seq', p_seq)::text;
  v_hash := sha256(h.last_hash || convert_to(c, 'UTF8'));
  INSERT INTO operator_actions(at, operator, executed_by, action, target, reason, plan, rows_changed, refused, proposal_id, bulk_run_id, bulk_seq, canonical, prev_hash, hash)
  VALUES (v_at, v_op, session_user, p_action, p_target, p_reason, p_plan, p_rows, p_refused, p_proposal, p_run, p_seq, c, h.last_hash, v_hash) RETURNING id INTO v_id;
  UPDATE audit_head SET last_id = v_id, last_hash = v_hash;
  IF p_run IS NOT NULL THEN
    UPDATE bulk_items SET result = CASE WHEN p_rows > 0 THEN 'applied' WHEN p_refused = 'changed' THEN 'changed' WHEN p_refused = 'not_found' THEN 'missing' ELSE 'refused' END,
           reason = p_refused, at = v_at, log_id = v_id WHERE run_id = p_run AND seq = p_seq AND result IS NULL;
    IF NOT FOUND THEN RAISE EXCEPTION 'bulk item %/% is settled already', p_run, p_seq USING ERRCODE = 'check_violation'; END IF;
  END IF;
  RETURN v_id;
END $$;

-- Versions as seen: {"jobs":{"48211":7},"keys":[["stripe","acct_1","charge:inv_42:a1",5]]}. Locks what it compares.
CREATE FUNCTION still_as_seen(p_seen jsonb) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog AS $$
DECLARE n int; m int;
BEGIN
  SELECT count(*) INTO n FROM (SELECT 1 FROM jobs j JOIN jsonb_each_text(COALESCE(p_seen->'jobs', '{}')) s ON j.id = s.key::bigint AND j.row_version = s.value::bigint ORDER BY j.id FOR UPDATE OF j) q;
  SELECT count(*) INTO m FROM (SELECT 1 FROM idempotency_keys k JOIN jsonb_array_elements(COALESCE(p_seen->'keys', '[]')) s
     ON (k.provider, k.provider_account, k.key, k.row_version) = (s->>0, s->>1, s->>2, (s->>3)::bigint) ORDER BY k.provider, k.provider_account, k.key FOR UPDATE OF k) q;
  RETURN n = (SELECT count(*) FROM jsonb_object_keys(COALESCE(p_seen->'jobs', '{}'))) AND m = jsonb_array_length(COALESCE(p_seen->'keys', '[]'));
END $$;

CREATE FUNCTION requeue_dead(p_job bigint) RETURNS int LANGUAGE sql SECURITY DEFINER SET search_path = unavez, pg_catalog AS $$
  WITH u AS (UPDATE jobs SET state = 'queued', run_at = now3(), dead_at = NULL, requeued_at = now3(), postponed = 0, max_attempts = GREATEST(max_attempts, attempts + 1)
              WHERE id = p_job AND state = 'dead' RETURNING 1) SELECT count(*)::int FROM u $$;

CREATE FUNCTION apply_requeue_job(p_job bigint, p_seen jsonb, p_reason text, p_plan text, p_proposal bigint DEFAULT NULL, p_run bigint DEFAULT NULL, p_seq int DEFAULT NULL)
RETURNS TABLE (changed int, log_id bigint) LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog SET lock_timeout = '2s' AS $$
BEGIN
  -- a service acts only for a bulk item that an operator froze
  IF p_run IS NULL AND NOT (pg_has_role(session_user, 'unavez_operator', 'MEMBER') OR pg_has_role(session_user, 'unavez_admin', 'MEMBER'))
  THEN RAISE EXCEPTION 'not permitted' USING ERRCODE = 'insufficient_privilege'; END IF;
  IF p_run IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bulk_items i JOIN bulk_runs r ON r.id = i.run_id WHERE (i.run_id, i.seq, i.target) = (p_run, p_seq, 'job:' || p_job) AND r.action = 'requeue_job' AND r.state = 'running')
  THEN RAISE EXCEPTION 'no such bulk item' USING ERRCODE = 'check_violation'; END IF;
  changed := CASE WHEN still_as_seen(p_seen) THEN requeue_dead(p_job) ELSE 0 END;
  log_id := write_audit('requeue_job', 'job:' || p_job, p_reason, p_plan, changed, CASE changed WHEN 0 THEN 'changed' END, p_proposal, p_run, p_seq);
  RETURN NEXT;
END $$;

CREATE FUNCTION apply_release_lease(p_job bigint, p_token bigint, p_grace_s int, p_reason text, p_plan text) RETURNS TABLE (changed int, log_id bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog SET lock_timeout = '2s' AS $$
BEGIN
  UPDATE jobs SET state = 'retry_wait', lease_token = lease_token + 1, lease_owner = NULL, lease_expires_at = NULL, run_at = now3(), error_class = 'lease_released'
   WHERE id = p_job AND state = 'leased' AND lease_token = p_token AND lease_expires_at < now3() - make_interval(secs => p_grace_s);
  GET DIAGNOSTICS changed = ROW_COUNT;
  log_id := write_audit('release_lease', 'job:' || p_job, p_reason, p_plan, changed, CASE changed WHEN 0 THEN 'changed' END, NULL, NULL, NULL);
  RETURN NEXT;
END $$;

CREATE FUNCTION apply_expire_reservation(p_provider text, p_account text, p_key text, p_version bigint, p_grace_s int, p_reason text, p_plan text) RETURNS TABLE (changed int, log_id bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog SET lock_timeout = '2s' AS $$
BEGIN
  UPDATE idempotency_keys SET status = 'unknown', fence = fence + 1, owner = NULL, lease_expires_at = NULL
   WHERE (provider, provider_account, key) = (p_provider, p_account, p_key) AND row_version = p_version AND status = 'in_progress' AND sends > 0
     AND lease_expires_at < now3() - make_interval(secs => p_grace_s) AND (resume_until <= now3() OR first_sent_at > now3());
  GET DIAGNOSTICS changed = ROW_COUNT;
  log_id := write_audit('expire_reservation', concat_ws('/', 'key:' || p_provider, p_account, p_key), p_reason, p_plan, changed, CASE changed WHEN 0 THEN 'changed' END, NULL, NULL, NULL);
  RETURN NEXT;
END $$;

CREATE FUNCTION apply_open_attempt(p_provider text, p_account text, p_intent text, p_seen jsonb, p_requeue bigint, p_reason text, p_plan text, p_proposal bigint DEFAULT NULL)
RETURNS TABLE (changed int, log_id bigint, new_key text, resume_job bigint) LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog SET lock_timeout = '2s' AS $$
-- p_requeue: the dead job to requeue; NULL: a queued, waiting or running job will settle it; -1: none will, insert a resume job
DECLARE l idempotency_keys; n int := 0;
BEGIN
  changed := 0;
  IF still_as_seen(p_seen) THEN
    SELECT * INTO l FROM idempotency_keys k WHERE (k.provider, k.provider_account, k.intent_key) = (p_provider, p_account, p_intent) ORDER BY attempt DESC LIMIT 1;
    INSERT INTO idempotency_keys(provider, provider_account, key, intent_key, attempt, status, fence, window_s, margin_s)
    VALUES (p_provider, p_account, p_intent || ':a' || (l.attempt + 1), p_intent, l.attempt + 1, 'opened', 0, l.window_s, l.margin_s)
    ON CONFLICT DO NOTHING RETURNING key INTO new_key;
    GET DIAGNOSTICS n = ROW_COUNT; changed := n;
    IF changed = 1 AND p_requeue > 0 THEN
      IF requeue_dead(p_requeue) <> 1 THEN RAISE EXCEPTION 'job % is not dead', p_requeue USING ERRCODE = 'check_violation', HINT = 'changed'; END IF;
      changed := changed + 1;
    ELSIF changed = 1 AND p_requeue = -1 THEN
      INSERT INTO jobs(kind, provider, provider_account, key) VALUES ('resume', p_provider, p_account, new_key) RETURNING id INTO resume_job;
      INSERT INTO intent_uses(provider, provider_account, intent_key, job_id) VALUES (p_provider, p_account, p_intent, resume_job);
      changed := changed + 1;
    END IF;
  END IF;
  log_id := write_audit('open_attempt', concat_ws('/', 'intent:' || p_provider, p_account, p_intent), p_reason, p_plan, changed, CASE changed WHEN 0 THEN 'changed' END, p_proposal, NULL, NULL);
  RETURN NEXT;
END $$;

CREATE FUNCTION apply_record_outcome(p_provider text, p_account text, p_key text, p_seen jsonb, p_verdict text, p_source text, p_objects text[], p_amount bigint, p_currency text,
  p_sha256 bytea, p_until timestamptz, p_result text, p_error text, p_requeue bigint, p_reason text, p_plan text, p_proposal bigint DEFAULT NULL)
RETURNS TABLE (changed int, log_id bigint) LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog SET lock_timeout = '2s' AS $$
DECLARE n int;
BEGIN
  changed := 0;
  IF still_as_seen(p_seen) THEN
    INSERT INTO reconciliations(provider, provider_account, key, verdict, source, object_ids, amount_minor, currency, evidence_sha256, evidence_until, by_login, proposal_id)
    VALUES (p_provider, p_account, p_key, p_verdict, p_source, p_objects, p_amount, p_currency, p_sha256, p_until, session_user, p_proposal);
    changed := 1;
    IF p_verdict = 'double_charged' THEN
      INSERT INTO incidents(kind, subject, severity, detail) VALUES ('double_charge', concat_ws('/', 'key:' || p_provider, p_account, p_key), 'red', jsonb_build_object('objects', p_objects)::text)
      ON CONFLICT (kind, subject) WHERE closed_at IS NULL DO UPDATE SET n = incidents.n + 1, last_at = now3();
    ELSE
      UPDATE idempotency_keys SET status = CASE p_verdict WHEN 'charged' THEN 'done' WHEN 'failed' THEN 'failed' ELSE 'abandoned' END,
             fence = fence + 1, owner = NULL, lease_expires_at = NULL, flag = NULL, completed_at = now3(),
             outcome_class = CASE p_verdict WHEN 'charged' THEN 'success' WHEN 'failed' THEN 'definitive_failure' ELSE 'not_charged' END,
             provider_object_id = CASE p_verdict WHEN 'charged' THEN p_objects[1] ELSE provider_object_id END, result = p_result, error = p_error
       WHERE (provider, provider_account, key) = (p_provider, p_account, p_key)
         AND (status IN ('unknown','failed','abandoned') OR (status = 'in_progress' AND lease_expires_at < now3()));
      GET DIAGNOSTICS n = ROW_COUNT;
      IF n <> 1 THEN RAISE EXCEPTION 'reservation % is not open to a verdict', p_key USING ERRCODE = 'check_violation', HINT = 'changed'; END IF;
      changed := changed + 1;
    END IF;
    IF p_requeue IS NOT NULL THEN changed := changed + requeue_dead(p_requeue); END IF;
  END IF;
  log_id := write_audit('record_outcome', concat_ws('/', 'key:' || p_provider, p_account, p_key), p_reason, p_plan, changed, CASE changed WHEN 0 THEN 'changed' END, p_proposal, NULL, NULL);
  RETURN NEXT;
END $$;

CREATE FUNCTION apply_discard_job(p_job bigint, p_seen jsonb, p_abandon jsonb, p_reason text, p_plan text, p_proposal bigint DEFAULT NULL) RETURNS TABLE (changed int, log_id bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog SET lock_timeout = '2s' AS $$
DECLARE n int;
BEGIN
  changed := 0;
  IF still_as_seen(p_seen) THEN
    UPDATE jobs SET state = 'discarded', dead_at = NULL, finished_at = now3() WHERE id = p_job AND state = 'dead';
    GET DIAGNOSTICS changed = ROW_COUNT;
    IF changed = 1 THEN
      UPDATE idempotency_keys k SET status = 'abandoned', fence = fence + 1, owner = NULL, lease_expires_at = NULL, completed_at = now3(), outcome_class = 'discarded'
        FROM jsonb_array_elements(p_abandon) a
       WHERE (k.provider, k.provider_account, k.key) = (a->>0, a->>1, a->>2) AND k.sends = 0 AND k.status IN ('opened','in_progress')
         AND NOT EXISTS (SELECT 1 FROM intent_uses u JOIN jobs j ON j.id = u.job_id WHERE (u.provider, u.provider_account, u.intent_key) = (k.provider, k.provider_account, k.intent_key)
                          AND j.id <> p_job AND j.state NOT IN ('done','discarded'));
      GET DIAGNOSTICS n = ROW_COUNT;
      IF n <> jsonb_array_length(p_abandon) THEN RAISE EXCEPTION 'an attempt to abandon has moved' USING ERRCODE = 'check_violation', HINT = 'changed'; END IF;
      changed := changed + n;
    END IF;
  END IF;
  log_id := write_audit('discard_job', 'job:' || p_job, p_reason, p_plan, changed, CASE changed WHEN 0 THEN 'changed' END, p_proposal, NULL, NULL);
  RETURN NEXT;
END $$;

CREATE FUNCTION apply_enqueue_event(p_event bigint, p_reason text, p_plan text) RETURNS TABLE (changed int, log_id bigint, job_id bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog SET lock_timeout = '2s' AS $$
BEGIN
  INSERT INTO jobs(kind, event_pk, source_id) SELECT 'event', e.id, e.source_id FROM processed_events e WHERE e.id = p_event ON CONFLICT DO NOTHING RETURNING id INTO job_id;
  GET DIAGNOSTICS changed = ROW_COUNT;
  log_id := write_audit('enqueue_event', 'event:' || p_event, p_reason, p_plan, changed, CASE changed WHEN 0 THEN 'has_job' END, NULL, NULL, NULL);
  RETURN NEXT;
END $$;

CREATE FUNCTION apply_hold(p_kind text, p_target text, p_release boolean, p_reason text, p_plan text) RETURNS TABLE (changed int, log_id bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = unavez, pg_catalog SET lock_timeout = '2s' AS $$
BEGIN
  IF p_release THEN UPDATE holds SET released_by = session_user, released_at = now3() WHERE (kind, target) = (p_kind, p_target) AND released_at IS NULL;
  ELSE INSERT INTO holds(kind, target, reason, placed_by) VALUES (p_kind, p_target, p_reason, session_user) ON CONFLICT DO NOTHING; END IF;
  GET DIAGNOSTICS changed = ROW_COUNT;
  log_id := write_audit('hold', concat_ws(':', p_kind, NULLIF(p_target, '')), p_reason, p_plan, changed, CASE WHEN changed = 0 THEN CASE WHEN p_release THEN 'not_held' ELSE 'already_held' END END, NULL, NULL, NULL);
  RETURN NEXT;
END $$;

-- What the guard refused at execution: an audit row with 0 rows, under the guard's own reason code.
CREATE FUNCTION record_refusal(p_action text, p_target text, p_reason text, p_plan text, p_refused text) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = unavez, pg_catalog SET lock_timeout = '2s' AS $$
  SELECT write_audit(p_action, p_target, p_reason, p_plan, 0, p_refused, NULL, NULL, NULL) $$;

CREATE FUNCTION decide_proposal(p_id bigint, p_decision text) RETURNS int LANGUAGE sql SECURITY DEFINER SET search_path = unavez, pg_catalog AS $$
  WITH u AS (UPDATE proposals SET decision = p_decision, decided_by = session_user, decided_at = now3()
              WHERE id = p_id AND decision IS NULL AND proposed_by <> session_user AND now3() < proposed_at + interval '24 hours' RETURNING 1) SELECT count(*)::int FROM u $$;

------------------------------------------------------------------------------------------- rights
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA unavez FROM PUBLIC;
GRANT unavez_viewer TO unavez_finance, unavez_operator;
GRANT unavez_operator TO unavez_admin;
GRANT USAGE ON SCHEMA unavez TO unavez_viewer, unavez_edge, unavez_worker;
GRANT EXECUTE ON FUNCTION now3() TO unavez_viewer, unavez_edge, unavez_worker;

GRANT SELECT ON store_info, sources, signing_keys, processed_events, event_deliveries, signature_failures, minute_stats, jobs, dead_letters, intents, intent_uses, provider_calls, reconciliations,
  proposals, bulk_runs, bulk_items, operator_actions, audit_head, case_notes, holds, incidents, services TO unavez_viewer;
GRANT SELECT (provider, provider_account, key, intent_key, attempt, status, flag, request_sha256, fence, owner, lease_expires_at, reserved_at, status_at, first_sent_at, last_sent_at, sends, window_s, margin_s,
  resume_until, outcome_class, provider_object_id, result, error, completed_at, emptied_at, row_version) ON idempotency_keys TO unavez_viewer;

-- Whether a body is kept, never the body.
GRANT SELECT (event_pk, received_at) ON event_payloads TO unavez_viewer;

GRANT EXECUTE ON FUNCTION lock_case(bigint[], jsonb), apply_record_outcome(text, text, text, jsonb, text, text, text[], bigint, text, bytea, timestamptz, text, text, bigint, text, text, bigint),
  decide_proposal(bigint, text), record_refusal(text, text, text, text, text) TO unavez_finance, unavez_operator;
GRANT INSERT (action, target, plan, reason) ON proposals TO unavez_finance, unavez_operator;
GRANT INSERT (subject, kind, body) ON case_notes TO unavez_finance, unavez_operator;
GRANT EXECUTE ON FUNCTION apply_requeue_job(bigint, jsonb, text, text, bigint, bigint, int), apply_release_lease(bigint, bigint, int, text, text), apply_expire_reservation(text, text, text, bigint, int, text, text),
  apply_open_attempt(text, text, text, jsonb, bigint, text, text, bigint), apply_discard_job(bigint, jsonb, jsonb, text, text, bigint), apply_enqueue_event(bigint, text, text),
  apply_hold(text, text, boolean, text, text) TO unavez_operator;
GRANT INSERT (action, filter, reason, per_second, total), UPDATE (state, per_second, next_seq, finished_at) ON bulk_runs TO unavez_operator;
GRANT INSERT (run_id, seq, target, seen), UPDATE (result, reason, at) ON bulk_items TO unavez_operator;
GRANT UPDATE (closed_at, closed_by) ON incidents TO unavez_operator;
GRANT INSERT, UPDATE ON sources, signing_keys TO unavez_admin;
GRANT UPDATE (state, quarantine_from, epoch) ON store_info TO unavez_admin;

GRANT SELECT ON store_info, sources, signing_keys, processed_events, jobs TO unavez_edge;
GRANT INSERT, UPDATE (deliveries, last_seen_at, alias_event_id) ON processed_events TO unavez_edge;
GRANT INSERT ON jobs, event_payloads, event_deliveries TO unavez_edge;
GRANT SELECT, INSERT, UPDATE ON signature_failures, minute_stats, incidents, services TO unavez_edge, unavez_worker;
GRANT SELECT ON store_info, sources, signing_keys, processed_events, event_payloads, dead_letters, intents, intent_uses, idempotency_keys, provider_calls, reconciliations, holds, bulk_runs, bulk_items TO unavez_worker;
GRANT SELECT, UPDATE ON jobs TO unavez_worker;
GRANT INSERT, UPDATE ON idempotency_keys, provider_calls TO unavez_worker;
GRANT INSERT, UPDATE (provider_object_id, plan, emptied_at) ON intents TO unavez_worker;
GRANT INSERT ON intent_uses, reconciliations TO unavez_worker;
GRANT UPDATE (state, next_seq, finished_at) ON bulk_runs TO unavez_worker;
GRANT UPDATE (result, reason, at) ON bulk_items TO unavez_worker;
GRANT DELETE ON event_payloads, event_deliveries, minute_stats, signature_failures TO unavez_worker;
GRANT EXECUTE ON FUNCTION ensure_payload_partitions(int), lock_case(bigint[], jsonb), apply_requeue_job(bigint, jsonb, text, text, bigint, bigint, int) TO unavez_worker;
GRANT EXECUTE ON FUNCTION proved(text, text, text, text, text, timestamptz) TO unavez_worker;

