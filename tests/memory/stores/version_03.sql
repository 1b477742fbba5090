-- Version 3, by the program of commit 49d846b.
BEGIN TRANSACTION;
CREATE TABLE approvals (
	user_id VARCHAR NOT NULL,
	package VARCHAR NOT NULL,
	kind VARCHAR NOT NULL,
	app VARCHAR NOT NULL,
	time VARCHAR NOT NULL,
	PRIMARY KEY (user_id, package, kind)
);
INSERT INTO "approvals" VALUES('me','com.example.pay','pay','Pay','2026-03-09T12:00:00+08:00');
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
CREATE TABLE records (
	id VARCHAR NOT NULL,
	user_id VARCHAR NOT NULL,
	time VARCHAR NOT NULL,
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
INSERT INTO "records" VALUES('r1','me','2026-03-09T05:00:00+00:00','unknown','','call mom','','',NULL,'','[]','',NULL,NULL,NULL);
INSERT INTO "records" VALUES('r2','me','2026-03-09T12:00:00+08:00','office','my usual','order noodles','Eats','com.example.eats','success','executed','[{"type": "click", "point": [0.5, 0.25], "content": ""}, {"type": "type", "text": "noodles \u9762 \u201cspicy\u201d"}, {"type": "press_back"}]','qwen3-vl','{"prompt_tokens": 10, "completion_tokens": 2, "requests": 1}','{"amount": 0.25, "currency": "CNY"}',2.5);
INSERT INTO "records" VALUES('t2','me','2026-03-09T13:00:00+08:00','home','hello','say hello','Eats','com.example.eats','failed','executed','[{"type": "press_back"}]','qwen3-vl',NULL,NULL,1.5);
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
	currency VARCHAR NOT NULL,
	PRIMARY KEY (id)
);
INSERT INTO "spent" VALUES(1,'me','t1',1,'2026-03-09T12:00:00+08:00','2026-03-09','qwen3-vl',10,2,1,1.25,NULL,0.25,'CNY');
INSERT INTO "spent" VALUES(2,'me','gone',1,'2026-03-09T12:00:00+08:00','2026-03-08','qwen3-vl',1,1,1,1.0,0.5,NULL,'');
CREATE TABLE turns (
	id VARCHAR NOT NULL,
	user_id VARCHAR NOT NULL,
	started VARCHAR NOT NULL,
	said TEXT NOT NULL,
	open BOOLEAN NOT NULL,
	checkpoint JSON NOT NULL,
	PRIMARY KEY (id)
);
INSERT INTO "turns" VALUES('t1','me','2026-03-09T13:00:00+08:00','hello',1,'{"turn_id": "t1", "user_id": "me", "started": "2026-03-09T13:00:00+08:00", "said": "hello", "instruction": "say hello", "scenario": "home", "steps": [{"number": 1, "action": {"type": "press_back"}, "source": "model", "thought": "", "error": "", "app": "Eats", "package": "com.example.eats"}, {"number": 2, "action": {"type": "wait"}, "source": "model", "thought": "", "error": "no", "app": "", "package": ""}], "notes": ["It rang."], "usage": {"prompt_tokens": 0, "completion_tokens": 0, "requests": 0}, "seconds": 1.5, "model": "qwen3-vl"}');
INSERT INTO "turns" VALUES('t2','me','2026-03-09T13:00:00+08:00','hello',0,'{"turn_id": "t2", "user_id": "me", "started": "2026-03-09T13:00:00+08:00", "said": "hello", "instruction": "say hello", "scenario": "home", "steps": [{"number": 1, "action": {"type": "press_back"}, "source": "model", "thought": "", "error": "", "app": "Eats", "package": "com.example.eats"}, {"number": 2, "action": {"type": "wait"}, "source": "model", "thought": "", "error": "no", "app": "", "package": ""}], "notes": ["It rang."], "usage": {"prompt_tokens": 0, "completion_tokens": 0, "requests": 0}, "seconds": 1.5, "model": "qwen3-vl"}');
CREATE INDEX ix_records_time ON records (time);
CREATE INDEX ix_records_user_id ON records (user_id);
CREATE INDEX ix_turns_started ON turns (started);
CREATE INDEX ix_turns_open ON turns (open);
CREATE INDEX ix_spent_day ON spent (day);
COMMIT;
PRAGMA user_version = 3;
