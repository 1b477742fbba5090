-- Version 7 on PostgreSQL, by the program of commit 23200b3.
CREATE TABLE public.approvals (
    user_id character varying NOT NULL,
    package character varying NOT NULL,
    kind character varying NOT NULL,
    app character varying NOT NULL,
    "time" character varying NOT NULL
);
CREATE TABLE public.change_rows (
    id integer NOT NULL,
    change_id integer NOT NULL,
    table_name character varying NOT NULL,
    key character varying NOT NULL,
    before json,
    after json,
    digest character varying NOT NULL
);
CREATE SEQUENCE public.change_rows_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.change_rows_id_seq OWNED BY public.change_rows.id;
CREATE TABLE public.changes (
    id integer NOT NULL,
    "time" character varying NOT NULL,
    what text NOT NULL,
    why text NOT NULL,
    kind character varying NOT NULL,
    target integer,
    undone boolean NOT NULL,
    counts json NOT NULL
);
CREATE SEQUENCE public.changes_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.changes_id_seq OWNED BY public.changes.id;
CREATE TABLE public.observations (
    turn_id character varying NOT NULL,
    step integer NOT NULL,
    package character varying NOT NULL,
    activity character varying NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    secure boolean NOT NULL,
    screenshot character varying NOT NULL,
    elements json NOT NULL
);
CREATE TABLE public.profile_evidence (
    value_id character varying NOT NULL,
    record_id character varying NOT NULL,
    "time" character varying NOT NULL,
    strength character varying NOT NULL
);
CREATE TABLE public.profile_links (
    one character varying NOT NULL,
    other character varying NOT NULL
);
CREATE TABLE public.profile_nodes (
    id character varying NOT NULL,
    user_id character varying NOT NULL,
    kind character varying NOT NULL,
    name text NOT NULL,
    pinned boolean NOT NULL,
    hidden boolean NOT NULL
);
CREATE TABLE public.profile_values (
    id character varying NOT NULL,
    node_id character varying NOT NULL,
    key character varying NOT NULL,
    text text NOT NULL,
    sense text NOT NULL,
    single boolean NOT NULL,
    hidden boolean NOT NULL
);
CREATE TABLE public.prototype_decisions (
    user_id character varying NOT NULL,
    kind character varying NOT NULL,
    record_id character varying NOT NULL,
    other character varying NOT NULL,
    text text NOT NULL,
    "time" character varying NOT NULL
);
CREATE TABLE public.prototype_members (
    record_id character varying NOT NULL,
    prototype_id character varying NOT NULL,
    user_id character varying NOT NULL,
    fit double precision NOT NULL
);
CREATE TABLE public.prototype_states (
    user_id character varying NOT NULL,
    revision integer NOT NULL,
    dirty boolean NOT NULL,
    made_with character varying NOT NULL,
    wishes json NOT NULL
);
CREATE TABLE public.prototypes (
    id character varying NOT NULL,
    user_id character varying NOT NULL,
    founder character varying NOT NULL,
    centre character varying NOT NULL,
    count integer NOT NULL,
    weight double precision NOT NULL,
    first character varying NOT NULL,
    last character varying NOT NULL,
    archived boolean NOT NULL,
    sample json NOT NULL
);
CREATE TABLE public.records (
    id character varying NOT NULL,
    user_id character varying NOT NULL,
    "time" character varying NOT NULL,
    moment double precision DEFAULT '0'::double precision NOT NULL,
    scenario character varying NOT NULL,
    said text NOT NULL,
    instruction text NOT NULL,
    app character varying NOT NULL,
    package character varying NOT NULL,
    outcome character varying,
    source character varying NOT NULL,
    actions json NOT NULL,
    model character varying DEFAULT ''::character varying NOT NULL,
    usage json,
    cost json,
    seconds double precision
);
CREATE TABLE public.schema_version (
    version integer NOT NULL
);
CREATE TABLE public.spent (
    id integer NOT NULL,
    user_id character varying NOT NULL,
    turn_id character varying NOT NULL,
    step integer NOT NULL,
    "time" character varying NOT NULL,
    day character varying NOT NULL,
    model character varying NOT NULL,
    prompt_tokens integer NOT NULL,
    completion_tokens integer NOT NULL,
    requests integer NOT NULL,
    seconds double precision NOT NULL,
    seconds_to_first_token double precision,
    cost double precision,
    currency character varying NOT NULL
);
CREATE SEQUENCE public.spent_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.spent_id_seq OWNED BY public.spent.id;
CREATE TABLE public.turns (
    id character varying NOT NULL,
    user_id character varying NOT NULL,
    started character varying NOT NULL,
    said text NOT NULL,
    open boolean NOT NULL,
    checkpoint json NOT NULL
);
CREATE TABLE public.user_profiles (
    user_id character varying NOT NULL,
    fields json NOT NULL
);
CREATE TABLE public.vectors (
    kind character varying NOT NULL,
    owner character varying NOT NULL,
    model_id character varying NOT NULL,
    text_hash character varying NOT NULL,
    vector bytea NOT NULL
);
ALTER TABLE ONLY public.change_rows ALTER COLUMN id SET DEFAULT nextval('public.change_rows_id_seq'::regclass);
ALTER TABLE ONLY public.changes ALTER COLUMN id SET DEFAULT nextval('public.changes_id_seq'::regclass);
ALTER TABLE ONLY public.spent ALTER COLUMN id SET DEFAULT nextval('public.spent_id_seq'::regclass);
INSERT INTO public.approvals VALUES ('me', 'com.example.pay', 'pay', 'Pay', '2026-03-09T12:00:00+08:00');
INSERT INTO public.change_rows VALUES (1, 1, 'records', '{"id": "r1"}', NULL, NULL, 'fc5fbbc622609577f60044b7');
INSERT INTO public.change_rows VALUES (2, 1, 'records', '{"id": "r2"}', NULL, NULL, '905940df4c0fd77a499c2af8');
INSERT INTO public.change_rows VALUES (3, 2, 'records', '{"id": "t2"}', NULL, NULL, 'c462ec1336273e46d4a1dbe8');
INSERT INTO public.change_rows VALUES (4, 3, 'records', '{"id": "r1"}', '{"instruction": "call mom"}', '{"instruction": "call dad"}', '');
INSERT INTO public.change_rows VALUES (5, 4, 'records', '{"id": "r1"}', '{"instruction": "call dad"}', '{"instruction": "call mom"}', '');
INSERT INTO public.change_rows VALUES (6, 5, 'records', '{"id": "t2"}', '{"id": "t2", "user_id": "me", "time": "2026-03-09T13:00:00+08:00", "moment": 1773032400.0, "scenario": "home", "said": "hello", "instruction": "say hello", "app": "Eats", "package": "com.example.eats", "outcome": "failed", "source": "executed", "actions": [{"type": "press_back"}], "model": "qwen3-vl", "usage": null, "cost": null, "seconds": 1.5}', NULL, '');
INSERT INTO public.changes VALUES (1, '2026-03-09T12:00:00+08:00', 'Add records', '', 'change', NULL, false, '{"records": {"inserted": 2}}');
INSERT INTO public.changes VALUES (2, '2026-03-09T12:00:00+08:00', 'Keep the record of turn t2', 'the turn ended', 'change', NULL, false, '{"records": {"inserted": 1}}');
INSERT INTO public.changes VALUES (3, '2026-03-09T12:00:00+08:00', 'Edit the instruction of record r1', 'asked by the user', 'change', NULL, true, '{"records": {"updated": 1}}');
INSERT INTO public.changes VALUES (4, '2026-03-09T12:00:00+08:00', 'Undo change 3: Edit the instruction of record r1', 'asked by the user', 'undo', 3, false, '{"records": {"updated": 1}}');
INSERT INTO public.changes VALUES (5, '2026-03-09T12:00:00+08:00', 'Drop a record', 'a test', 'change', NULL, false, '{"records": {"deleted": 1}}');
INSERT INTO public.observations VALUES ('t1', 1, 'com.example.eats', '.Main', 1080, 2400, false, 't1-001.jpg', '[{"text": "Noodles"}]');
INSERT INTO public.observations VALUES ('t1', 2, 'com.example.pay', '.Pin', 1080, 2400, true, '', '[]');
INSERT INTO public.profile_evidence VALUES ('v1', 'r2', '2026-03-09T12:00:00+08:00', 'said');
INSERT INTO public.profile_evidence VALUES ('v1', '', '2026-03-09T12:00:00+08:00', 'said');
INSERT INTO public.profile_links VALUES ('n1', 'n2');
INSERT INTO public.profile_nodes VALUES ('n1', 'me', 'entity', 'noodles', true, false);
INSERT INTO public.profile_nodes VALUES ('n2', 'me', 'concept', 'food', false, false);
INSERT INTO public.profile_values VALUES ('v1', 'n1', 'taste', 'spicy', 'spicy', false, false);
INSERT INTO public.prototype_decisions VALUES ('me', 'name', 'r2', '', 'lunch', '2026-03-09T12:00:00+08:00');
INSERT INTO public.prototype_decisions VALUES ('me', 'leave out', 'r1', '', '', '2026-03-09T12:00:00+08:00');
INSERT INTO public.prototype_members VALUES ('r1', 'p1', 'me', 0.5);
INSERT INTO public.prototype_members VALUES ('r2', 'p1', 'me', 1);
INSERT INTO public.prototype_states VALUES ('me', 3, false, 'abc', '{"together": []}');
INSERT INTO public.prototypes VALUES ('p1', 'me', 'r1', 'r2', 2, 1.5, '2026-03-09T12:00:00+08:00', '2026-03-09T12:00:00+08:00', false, '[["r2", 1.0], ["r1", 0.5]]');
INSERT INTO public.records VALUES ('r2', 'me', '2026-03-09T12:00:00+08:00', 1773028800, 'office', 'my usual', 'order noodles', 'Eats', 'com.example.eats', 'success', 'executed', '[{"type": "click", "point": [0.5, 0.25], "content": ""}, {"type": "type", "text": "noodles \u9762 \u201cspicy\u201d"}, {"type": "press_back"}]', 'qwen3-vl', '{"prompt_tokens": 10, "completion_tokens": 2, "requests": 1}', '{"amount": 0.25, "currency": "CNY"}', 2.5);
INSERT INTO public.records VALUES ('r1', 'me', '2026-03-09T05:00:00+00:00', 1773032400, 'unknown', '', 'call mom', '', '', NULL, '', '[]', '', NULL, NULL, NULL);
INSERT INTO public.schema_version VALUES (7);
INSERT INTO public.spent VALUES (1, 'me', 't1', 1, '2026-03-09T12:00:00+08:00', '2026-03-09', 'qwen3-vl', 10, 2, 1, 1.25, NULL, 0.25, 'CNY');
INSERT INTO public.spent VALUES (2, 'me', 'gone', 1, '2026-03-09T12:00:00+08:00', '2026-03-08', 'qwen3-vl', 1, 1, 1, 1, 0.5, NULL, '');
INSERT INTO public.turns VALUES ('t1', 'me', '2026-03-09T13:00:00+08:00', 'hello', true, '{"turn_id": "t1", "user_id": "me", "started": "2026-03-09T13:00:00+08:00", "said": "hello", "instruction": "say hello", "scenario": "home", "steps": [{"number": 1, "action": {"type": "press_back"}, "source": "model", "thought": "", "error": "", "app": "Eats", "package": "com.example.eats"}, {"number": 2, "action": {"type": "wait"}, "source": "model", "thought": "", "error": "no", "app": "", "package": ""}], "notes": ["It rang."], "usage": {"prompt_tokens": 0, "completion_tokens": 0, "requests": 0}, "seconds": 1.5, "model": "qwen3-vl"}');
INSERT INTO public.turns VALUES ('t2', 'me', '2026-03-09T13:00:00+08:00', 'hello', false, '{"turn_id": "t2", "user_id": "me", "started": "2026-03-09T13:00:00+08:00", "said": "hello", "instruction": "say hello", "scenario": "home", "steps": [{"number": 1, "action": {"type": "press_back"}, "source": "model", "thought": "", "error": "", "app": "Eats", "package": "com.example.eats"}, {"number": 2, "action": {"type": "wait"}, "source": "model", "thought": "", "error": "no", "app": "", "package": ""}], "notes": ["It rang."], "usage": {"prompt_tokens": 0, "completion_tokens": 0, "requests": 0}, "seconds": 1.5, "model": "qwen3-vl"}');
INSERT INTO public.user_profiles VALUES ('me', '{"age": "41", "\u57ce\u5e02": "\u4e0a\u6d77"}');
INSERT INTO public.vectors VALUES ('record', 'r2', 'hash', '00ff', '\x000102030405060708090a0b0c0d0e0f');
INSERT INTO public.vectors VALUES ('node', 'n1', 'hash', '00ff', '\x000102030405060708090a0b0c0d0e0f');
SELECT pg_catalog.setval('public.change_rows_id_seq', 6, true);
SELECT pg_catalog.setval('public.changes_id_seq', 5, true);
SELECT pg_catalog.setval('public.spent_id_seq', 2, true);
ALTER TABLE ONLY public.approvals
    ADD CONSTRAINT approvals_pkey PRIMARY KEY (user_id, package, kind);
ALTER TABLE ONLY public.change_rows
    ADD CONSTRAINT change_rows_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.observations
    ADD CONSTRAINT observations_pkey PRIMARY KEY (turn_id, step);
ALTER TABLE ONLY public.profile_evidence
    ADD CONSTRAINT profile_evidence_pkey PRIMARY KEY (value_id, record_id);
ALTER TABLE ONLY public.profile_links
    ADD CONSTRAINT profile_links_pkey PRIMARY KEY (one, other);
ALTER TABLE ONLY public.profile_nodes
    ADD CONSTRAINT profile_nodes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.profile_values
    ADD CONSTRAINT profile_values_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.prototype_decisions
    ADD CONSTRAINT prototype_decisions_pkey PRIMARY KEY (user_id, kind, record_id, other);
ALTER TABLE ONLY public.prototype_members
    ADD CONSTRAINT prototype_members_pkey PRIMARY KEY (record_id);
ALTER TABLE ONLY public.prototype_states
    ADD CONSTRAINT prototype_states_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.prototypes
    ADD CONSTRAINT prototypes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.records
    ADD CONSTRAINT records_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.spent
    ADD CONSTRAINT spent_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.turns
    ADD CONSTRAINT turns_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.user_profiles
    ADD CONSTRAINT user_profiles_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.vectors
    ADD CONSTRAINT vectors_pkey PRIMARY KEY (kind, owner, model_id);
CREATE INDEX ix_change_rows_change_id ON public.change_rows USING btree (change_id);
CREATE INDEX ix_change_rows_row ON public.change_rows USING btree (table_name, key);
CREATE INDEX ix_profile_evidence_record_id ON public.profile_evidence USING btree (record_id);
CREATE INDEX ix_profile_links_other ON public.profile_links USING btree (other);
CREATE INDEX ix_profile_nodes_user_id ON public.profile_nodes USING btree (user_id);
CREATE INDEX ix_profile_values_node_id ON public.profile_values USING btree (node_id);
CREATE INDEX ix_prototype_members_prototype_id ON public.prototype_members USING btree (prototype_id);
CREATE INDEX ix_prototypes_user_id ON public.prototypes USING btree (user_id);
CREATE INDEX ix_records_moment ON public.records USING btree (moment);
CREATE INDEX ix_records_time ON public.records USING btree ("time");
CREATE INDEX ix_records_user_id ON public.records USING btree (user_id);
CREATE INDEX ix_spent_day ON public.spent USING btree (day);
CREATE INDEX ix_turns_open ON public.turns USING btree (open);
CREATE INDEX ix_turns_started ON public.turns USING btree (started);
CREATE INDEX ix_vectors_text ON public.vectors USING btree (model_id, text_hash);
ALTER TABLE ONLY public.change_rows
    ADD CONSTRAINT change_rows_change_id_fkey FOREIGN KEY (change_id) REFERENCES public.changes(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.observations
    ADD CONSTRAINT observations_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES public.turns(id) ON DELETE CASCADE;
