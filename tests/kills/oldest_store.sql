-- The tables of a database of version 1.
BEGIN TRANSACTION;
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
	PRIMARY KEY (id)
);
CREATE TABLE turns (
	id VARCHAR NOT NULL,
	user_id VARCHAR NOT NULL,
	started VARCHAR NOT NULL,
	said TEXT NOT NULL,
	open BOOLEAN NOT NULL,
	checkpoint JSON NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX ix_records_user_id ON records (user_id);
CREATE INDEX ix_records_time ON records (time);
CREATE INDEX ix_turns_started ON turns (started);
CREATE INDEX ix_turns_open ON turns (open);
COMMIT;
PRAGMA user_version = 1;
