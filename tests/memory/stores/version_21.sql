-- Version 18: a database of version 17 with the table that version 18 adds, and a row in it.
BEGIN TRANSACTION;
CREATE TABLE approvals (
	user_id VARCHAR NOT NULL,
	package VARCHAR NOT NULL,
	kind VARCHAR NOT NULL,
	recipient VARCHAR DEFAULT '' NOT NULL,
	item VARCHAR DEFAULT '' NOT NULL,
	app VARCHAR NOT NULL,
	time VARCHAR NOT NULL,
	PRIMARY KEY (user_id, package, kind, recipient, item)
);
INSERT INTO "approvals" VALUES('me','com.example.chat','send','Mom','','Chat','2026-03-09T12:00:00+08:00');
CREATE TABLE change_rows (
	id INTEGER NOT NULL,
	change_id INTEGER NOT NULL,
	table_name VARCHAR NOT NULL,
	"key" VARCHAR NOT NULL,
	"before" JSON,
	"after" JSON,
	digest VARCHAR NOT NULL,
	PRIMARY KEY (id),
	FOREIGN KEY(change_id) REFERENCES changes (id) ON DELETE CASCADE
);
INSERT INTO "change_rows" VALUES(1,1,'records','{"id": "r1"}',NULL,NULL,'fc5fbbc622609577f60044b7');
INSERT INTO "change_rows" VALUES(2,1,'records','{"id": "r2"}',NULL,NULL,'905940df4c0fd77a499c2af8');
INSERT INTO "change_rows" VALUES(3,2,'records','{"id": "t2"}',NULL,NULL,'c462ec1336273e46d4a1dbe8');
INSERT INTO "change_rows" VALUES(4,3,'records','{"id": "r1"}','{"instruction": "call mom"}','{"instruction": "call dad"}','');
INSERT INTO "change_rows" VALUES(5,4,'records','{"id": "r1"}','{"instruction": "call dad"}','{"instruction": "call mom"}','');
INSERT INTO "change_rows" VALUES(6,5,'records','{"id": "t2"}','{"id": "t2", "user_id": "me", "time": "2026-03-09T13:00:00+08:00", "moment": 1773032400.0, "scenario": "home", "said": "hello", "instruction": "say hello", "app": "Eats", "package": "com.example.eats", "outcome": "failed", "source": "executed", "actions": [{"type": "press_back"}], "model": "qwen3-vl", "usage": null, "cost": null, "seconds": 1.5}',NULL,'');
CREATE TABLE changes (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	time VARCHAR NOT NULL,
	what TEXT NOT NULL,
	why TEXT NOT NULL,
	kind VARCHAR NOT NULL,
	target INTEGER,
	undone BOOLEAN NOT NULL,
	counts JSON NOT NULL,
	revision INTEGER DEFAULT '0' NOT NULL
);
INSERT INTO "changes" VALUES(1,'2026-03-09T12:00:00+08:00','Add records','','change',NULL,0,'{"records": {"inserted": 2}}',1);
INSERT INTO "changes" VALUES(2,'2026-03-09T12:00:00+08:00','Keep the record of a turn','the turn ended','change',NULL,0,'{"records": {"inserted": 1}}',2);
INSERT INTO "changes" VALUES(3,'2026-03-09T12:00:00+08:00','Edit the instruction of a record','asked by the user','change',NULL,1,'{"records": {"updated": 1}}',3);
INSERT INTO "changes" VALUES(4,'2026-03-09T12:00:00+08:00','Undo change 3: Edit the instruction of a record','asked by the user','undo',3,0,'{"records": {"updated": 1}}',4);
INSERT INTO "changes" VALUES(5,'2026-03-09T12:00:00+08:00','Drop a record','a test','change',NULL,0,'{"records": {"deleted": 1}}',5);
CREATE TABLE learning_queue (
    turn_id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    report JSON NOT NULL,
    PRIMARY KEY (turn_id)
);
INSERT INTO "learning_queue" VALUES('t1','me','success','{}');
CREATE TABLE learning_switches (
	user_id VARCHAR NOT NULL,
	name VARCHAR NOT NULL,
	"on" BOOLEAN NOT NULL,
	PRIMARY KEY (user_id, name)
);
INSERT INTO "learning_switches" VALUES('me','learning',0);
INSERT INTO "learning_switches" VALUES('me','source executed',1);
CREATE TABLE observations (
	turn_id VARCHAR NOT NULL,
	step INTEGER NOT NULL,
	package VARCHAR NOT NULL,
	activity VARCHAR NOT NULL,
	width INTEGER NOT NULL,
	height INTEGER NOT NULL,
	secure BOOLEAN NOT NULL,
	screenshot VARCHAR NOT NULL,
	elements JSON NOT NULL,
	PRIMARY KEY (turn_id, step),
	FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE
);
INSERT INTO "observations" VALUES('t1',1,'com.example.eats','.Main',1080,2400,0,'t1-001.jpg','[{"text": "Noodles"}]');
INSERT INTO "observations" VALUES('t1',2,'com.example.pay','.Pin',1080,2400,1,'','[]');
CREATE TABLE open_steps (
	turn_id VARCHAR NOT NULL,
	place INTEGER NOT NULL,
	step JSON NOT NULL,
	PRIMARY KEY (turn_id, place),
	FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE
);
INSERT INTO "open_steps" VALUES('t1',0,'{"number": 1, "action": {"type": "press_back"}, "source": "model", "thought": "", "error": "", "app": "Eats", "package": "com.example.eats"}');
INSERT INTO "open_steps" VALUES('t1',1,'{"number": 2, "action": {"type": "wait"}, "source": "model", "thought": "", "error": "no", "app": "", "package": ""}');
CREATE TABLE places (
	id VARCHAR NOT NULL,
	user_id VARCHAR NOT NULL,
	name TEXT NOT NULL,
	scenario VARCHAR NOT NULL,
	signals JSON NOT NULL,
	made VARCHAR NOT NULL,
	PRIMARY KEY (id)
);
INSERT INTO "places" VALUES('pl1','me','','office','{"wifi": ["home-net"]}','2026-03-09T12:00:00+08:00');
CREATE TABLE profile_evidence (
	value_id VARCHAR NOT NULL,
	record_id VARCHAR NOT NULL,
	time VARCHAR NOT NULL,
	strength VARCHAR NOT NULL,
	PRIMARY KEY (value_id, record_id)
);
INSERT INTO "profile_evidence" VALUES('v1','r2','2026-03-09T12:00:00+08:00','said');
INSERT INTO "profile_evidence" VALUES('v1','','2026-03-09T12:00:00+08:00','said');
CREATE TABLE profile_links (
	one VARCHAR NOT NULL,
	other VARCHAR NOT NULL,
	PRIMARY KEY (one, other)
);
INSERT INTO "profile_links" VALUES('n1','n2');
CREATE TABLE profile_nodes (
	id VARCHAR NOT NULL,
	user_id VARCHAR NOT NULL,
	kind VARCHAR NOT NULL,
	name TEXT NOT NULL,
	pinned BOOLEAN NOT NULL,
	hidden BOOLEAN NOT NULL,
	PRIMARY KEY (id)
);
INSERT INTO "profile_nodes" VALUES('n1','me','entity','noodles',1,0);
INSERT INTO "profile_nodes" VALUES('n2','me','concept','food',0,0);
CREATE TABLE profile_values (
	id VARCHAR NOT NULL,
	node_id VARCHAR NOT NULL,
	"key" VARCHAR NOT NULL,
	text TEXT NOT NULL,
	sense TEXT NOT NULL,
	single BOOLEAN NOT NULL,
	hidden BOOLEAN NOT NULL,
	PRIMARY KEY (id)
);
INSERT INTO "profile_values" VALUES('v1','n1','taste','spicy','spicy',0,0);
CREATE TABLE prototype_decisions (
	user_id VARCHAR NOT NULL,
	kind VARCHAR NOT NULL,
	record_id VARCHAR NOT NULL,
	other VARCHAR NOT NULL,
	text TEXT NOT NULL,
	time VARCHAR NOT NULL,
	PRIMARY KEY (user_id, kind, record_id, other)
);
INSERT INTO "prototype_decisions" VALUES('me','name','r2','','lunch','2026-03-09T12:00:00+08:00');
INSERT INTO "prototype_decisions" VALUES('me','leave out','r1','','','2026-03-09T12:00:00+08:00');
CREATE TABLE prototype_members (
	record_id VARCHAR NOT NULL,
	prototype_id VARCHAR NOT NULL,
	user_id VARCHAR NOT NULL,
	fit FLOAT NOT NULL,
	PRIMARY KEY (record_id)
);
INSERT INTO "prototype_members" VALUES('r1','p1','me',0.5);
INSERT INTO "prototype_members" VALUES('r2','p1','me',1.0);
CREATE TABLE prototype_states (
	user_id VARCHAR NOT NULL,
	revision INTEGER NOT NULL,
	dirty BOOLEAN NOT NULL,
	made_with VARCHAR NOT NULL,
	wishes JSON NOT NULL,
	PRIMARY KEY (user_id)
);
INSERT INTO "prototype_states" VALUES('me',3,0,'abc','{"together": []}');
CREATE TABLE prototypes (
	id VARCHAR NOT NULL,
	user_id VARCHAR NOT NULL,
	founder VARCHAR NOT NULL,
	centre VARCHAR NOT NULL,
	count INTEGER NOT NULL,
	weight FLOAT NOT NULL,
	first VARCHAR NOT NULL,
	last VARCHAR NOT NULL,
	archived BOOLEAN NOT NULL,
	sample JSON NOT NULL,
	PRIMARY KEY (id)
);
INSERT INTO "prototypes" VALUES('p1','me','r1','r2',2,1.5,'2026-03-09T12:00:00+08:00','2026-03-09T12:00:00+08:00',0,'[["r2", 1.0], ["r1", 0.5]]');
CREATE TABLE records (
	id VARCHAR NOT NULL,
	user_id VARCHAR NOT NULL,
	time VARCHAR NOT NULL,
	moment FLOAT DEFAULT '0' NOT NULL,
	scenario VARCHAR NOT NULL,
	said TEXT NOT NULL,
	instruction TEXT NOT NULL,
	app VARCHAR NOT NULL,
	package VARCHAR NOT NULL,
	outcome VARCHAR,
	source VARCHAR NOT NULL,
	actions JSON NOT NULL,
	model VARCHAR DEFAULT '' NOT NULL,
	usage JSON,
	cost JSON,
	seconds FLOAT,
	PRIMARY KEY (id)
);
INSERT INTO "records" VALUES('r1','me','2026-03-09T05:00:00+00:00',1773032400.0,'unknown','','call mom','','',NULL,'','[]','',NULL,NULL,NULL);
INSERT INTO "records" VALUES('r2','me','2026-03-09T12:00:00+08:00',1773028800.0,'office','my usual','order noodles','Eats','com.example.eats','success','executed','[{"type": "click", "point": [0.5, 0.25], "content": ""}, {"type": "type", "text": "noodles \u9762 \u201cspicy\u201d"}, {"type": "press_back"}]','qwen3-vl','{"prompt_tokens": 10, "completion_tokens": 2, "requests": 1}','{"amount": 0.25, "currency": "CNY"}',2.5);
CREATE TABLE sent (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id VARCHAR NOT NULL,
	turn_id VARCHAR NOT NULL,
	step INTEGER NOT NULL,
	time VARCHAR NOT NULL,
	moment FLOAT NOT NULL,
	endpoint VARCHAR NOT NULL,
	model VARCHAR NOT NULL,
	text_bytes INTEGER NOT NULL,
	picture_bytes INTEGER NOT NULL,
	parts JSON NOT NULL
);
INSERT INTO "sent" VALUES(1,'me','t1',1,'2026-03-09T12:00:00+08:00',1773028800.0,'https://example.com/v1','qwen3-vl',5,0,'[["user", "hello"]]');
CREATE TABLE skills (
    id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    made VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    evidence JSON NOT NULL,
    body JSON NOT NULL,
    PRIMARY KEY (id)
);
INSERT INTO "skills" VALUES('skill-t1','me','2026-03-09T13:31:15+08:00','probation','["t1"]','{"id": "skill-t1", "user_id": "me", "name": "Order {item}", "pattern": {"text": "Order {item}", "slots": [{"name": "item", "type": "text", "example": "rice"}]}, "steps": [{"action": {"type": "press_home"}}], "made": "2026-03-09T13:31:15+08:00", "evidence": ["t1"]}');
CREATE TABLE spent (
	id INTEGER NOT NULL,
	user_id VARCHAR NOT NULL,
	turn_id VARCHAR NOT NULL,
	step INTEGER NOT NULL,
	time VARCHAR NOT NULL,
	day VARCHAR NOT NULL,
	model VARCHAR NOT NULL,
	prompt_tokens INTEGER NOT NULL,
	completion_tokens INTEGER NOT NULL,
	requests INTEGER NOT NULL,
	seconds FLOAT NOT NULL,
	seconds_to_first_token FLOAT,
	cost FLOAT,
	currency VARCHAR NOT NULL, cached_tokens INTEGER NOT NULL DEFAULT '0', estimated_tokens INTEGER NOT NULL DEFAULT '0',
	PRIMARY KEY (id));
INSERT INTO "spent" VALUES(1,'me','t1',1,'2026-03-09T12:00:00+08:00','2026-03-09','qwen3-vl',10,2,1,1.25,NULL,0.25,'CNY',7,3);
INSERT INTO "spent" VALUES(2,'me','gone',1,'2026-03-09T12:00:00+08:00','2026-03-08','qwen3-vl',1,1,1,1.0,0.5,NULL,'',0,0);
CREATE TABLE suggestions (
	id VARCHAR NOT NULL,
	user_id VARCHAR NOT NULL,
	routine VARCHAR NOT NULL,
	anchor VARCHAR NOT NULL,
	instruction TEXT NOT NULL,
	score FLOAT NOT NULL,
	why JSON NOT NULL,
	evidence JSON NOT NULL,
	scenario VARCHAR NOT NULL,
	made VARCHAR NOT NULL,
	due VARCHAR NOT NULL,
	until VARCHAR NOT NULL,
	shown VARCHAR NOT NULL,
	state VARCHAR NOT NULL,
	answer VARCHAR NOT NULL,
	answered VARCHAR NOT NULL,
	snoozes INTEGER NOT NULL,
	PRIMARY KEY (id)
);
INSERT INTO "suggestions" VALUES('s1','me','p1','r2','order noodles',0.75,'["You do it at noon."]','["r2", "r1"]','office','2026-03-09T12:00:00+08:00','2026-03-09T12:00:00+08:00','2026-03-09T12:00:00+08:00','','open','','',0);
CREATE TABLE turns (
	id VARCHAR NOT NULL,
	user_id VARCHAR NOT NULL,
	started VARCHAR NOT NULL,
	said TEXT NOT NULL,
	open BOOLEAN NOT NULL,
	checkpoint JSON NOT NULL,
	PRIMARY KEY (id)
);
INSERT INTO "turns" VALUES('t1','me','2026-03-09T13:00:00+08:00','hello',1,'{"turn_id": "t1", "user_id": "me", "started": "2026-03-09T13:00:00+08:00", "said": "hello", "instruction": "say hello", "scenario": "home", "notes": ["It rang."], "remarks": [], "usage": {"prompt_tokens": 0, "completion_tokens": 0, "requests": 0}, "seconds": 1.5, "model": "qwen3-vl", "answer": ""}');
INSERT INTO "turns" VALUES('t2','me','2026-03-09T13:00:00+08:00','hello',0,'{"turn_id": "t2", "user_id": "me", "started": "2026-03-09T13:00:00+08:00", "said": "hello", "instruction": "say hello", "scenario": "home", "steps": [{"number": 1, "action": {"type": "press_back"}, "source": "model", "thought": "", "error": "", "app": "Eats", "package": "com.example.eats"}, {"number": 2, "action": {"type": "wait"}, "source": "model", "thought": "", "error": "no", "app": "", "package": ""}], "notes": ["It rang."], "remarks": [], "usage": {"prompt_tokens": 0, "completion_tokens": 0, "requests": 0}, "seconds": 1.5, "model": "qwen3-vl", "answer": ""}');
CREATE TABLE user_profiles (
	user_id VARCHAR NOT NULL,
	fields JSON NOT NULL,
	PRIMARY KEY (user_id)
);
INSERT INTO "user_profiles" VALUES('me','{"age": "41", "\u57ce\u5e02": "\u4e0a\u6d77"}');
CREATE TABLE vectors (
	kind VARCHAR NOT NULL,
	owner VARCHAR NOT NULL,
	model_id VARCHAR NOT NULL,
	text_hash VARCHAR NOT NULL,
	vector BLOB NOT NULL,
	PRIMARY KEY (kind, owner, model_id)
);
INSERT INTO "vectors" VALUES('record','r2','hash','00ff',X'000102030405060708090A0B0C0D0E0F');
INSERT INTO "vectors" VALUES('node','n1','hash','00ff',X'000102030405060708090A0B0C0D0E0F');
CREATE TABLE schedules (
	id VARCHAR NOT NULL,
	user_id VARCHAR NOT NULL,
	times TEXT NOT NULL,
	rule JSON NOT NULL,
	zone VARCHAR NOT NULL,
	instruction TEXT NOT NULL,
	made VARCHAR NOT NULL,
	paused BOOLEAN NOT NULL,
	seen FLOAT NOT NULL,
	PRIMARY KEY (id)
);
CREATE TABLE schedule_runs (
	schedule_id VARCHAR NOT NULL,
	moment FLOAT NOT NULL,
	user_id VARCHAR NOT NULL,
	due VARCHAR NOT NULL,
	begins FLOAT NOT NULL,
	instruction TEXT NOT NULL,
	state VARCHAR NOT NULL,
	turn_id VARCHAR NOT NULL,
	reason VARCHAR NOT NULL,
	PRIMARY KEY (schedule_id, moment)
);
INSERT INTO "schedules" VALUES('c1','me','every weekday at 8','{"crons": [{"day_of_week": "mon,tue,wed,thu,fri", "hour": "8", "minute": "0"}]}','Asia/Shanghai','order noodles','2026-03-09T12:00:00+08:00',0,1773014400.0);
INSERT INTO "schedule_runs" VALUES('c1',1773014400.0,'me','2026-03-09T08:00:00+08:00',1773014400.0,'order noodles','started','r2','');
CREATE INDEX ix_changes_revision ON changes (revision);
CREATE INDEX ix_records_user_id ON records (user_id);
CREATE INDEX ix_records_time ON records (time);
CREATE INDEX ix_records_moment ON records (moment);
CREATE INDEX ix_turns_open ON turns (open);
CREATE INDEX ix_turns_started ON turns (started);
CREATE INDEX ix_spent_day ON spent (day);
CREATE INDEX ix_vectors_text ON vectors (model_id, text_hash);
CREATE INDEX ix_prototypes_user_id ON prototypes (user_id);
CREATE INDEX ix_prototype_members_prototype_id ON prototype_members (prototype_id);
CREATE INDEX ix_profile_nodes_user_id ON profile_nodes (user_id);
CREATE INDEX ix_profile_links_other ON profile_links (other);
CREATE INDEX ix_profile_values_node_id ON profile_values (node_id);
CREATE INDEX ix_profile_evidence_record_id ON profile_evidence (record_id);
CREATE INDEX ix_sent_turn_id ON sent (turn_id);
CREATE INDEX ix_sent_moment ON sent (moment);
CREATE INDEX ix_suggestions_user_made ON suggestions (user_id, made);
CREATE INDEX ix_places_user_id ON places (user_id);
CREATE INDEX ix_change_rows_change_id ON change_rows (change_id);
CREATE INDEX ix_change_rows_row ON change_rows (table_name, "key");
CREATE INDEX ix_skills_user_id ON skills (user_id);
CREATE INDEX ix_schedules_user_id ON schedules (user_id);
CREATE INDEX ix_schedule_runs_user_id ON schedule_runs (user_id);
CREATE INDEX ix_schedule_runs_state ON schedule_runs (user_id, state);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('changes',5);
INSERT INTO "sqlite_sequence" VALUES('sent',1);
CREATE TABLE profile_queue (
	record_id VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	well BOOLEAN NOT NULL, 
	lessons JSON NOT NULL, 
	PRIMARY KEY (record_id)
);
INSERT INTO "profile_queue" VALUES('t1','me',1,'[{"words": "home", "value": "12 Park Street", "origin": "user", "why": "", "confirmed": true}]');
CREATE TABLE leases (
	name VARCHAR NOT NULL, 
	owner VARCHAR NOT NULL, 
	turn_id VARCHAR NOT NULL, 
	expires FLOAT, 
	PRIMARY KEY (name)
);
INSERT INTO "leases" VALUES('turn t1','0123456789abcdef0123456789abcdef','t1',NULL);
CREATE TABLE profile_forgotten (
	user_id VARCHAR NOT NULL, 
	id VARCHAR NOT NULL, 
	until VARCHAR NOT NULL, 
	PRIMARY KEY (user_id, id)
);
INSERT INTO "profile_forgotten" VALUES('me','0123456789abcdef01234567','2026-03-09T12:00:00+00:00');
CREATE TABLE replay_outcomes (
	turn_id VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	package VARCHAR NOT NULL, 
	matched INTEGER NOT NULL, 
	differed INTEGER NOT NULL, 
	PRIMARY KEY (turn_id)
);
CREATE INDEX ix_replay_outcomes_app ON replay_outcomes (user_id, package);
INSERT INTO "replay_outcomes" VALUES('t1','me','com.example.eats',6,1);
CREATE TABLE action_queue (
	turn_id VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	outcome VARCHAR NOT NULL, 
	report JSON NOT NULL, 
	PRIMARY KEY (turn_id)
);
INSERT INTO "action_queue" VALUES('t1','me','success','{}');
COMMIT;
PRAGMA user_version = 21;
