// SPDX-License-Identifier: Apache-2.0
//
// The columns are those of tables.c, and an index has those of the primary key
// at its end, since that is the order in which rows are read. Rows with much in
// them are kept apart from their keys; the rest lies in the primary key itself.
#include "store/schema.h"

const char *const mica_store_migrations[MICA_STORE_VERSION] = {
    // 1: the keys
    "CREATE TABLE counters ("
    "  name TEXT PRIMARY KEY,"
    "  value INTEGER NOT NULL"
    ") STRICT, WITHOUT ROWID;"
    "INSERT INTO counters VALUES ('keys', 0);"
    "CREATE TABLE keys ("
    "  id INTEGER PRIMARY KEY,"
    "  secret BLOB NOT NULL,"
    "  created INTEGER NOT NULL,"
    "  retires INTEGER NOT NULL"
    ") STRICT;",

    // 2: sessions, and what belongs to them
    "INSERT INTO counters VALUES"
    "  ('sessions', 0), ('sessions_expired', 0), ('subscriptions', 0),"
    "  ('streams', 0), ('events', 0), ('event_bytes', 0),"
    "  ('events_dropped', 0);"
    "CREATE TABLE sessions ("
    "  key BLOB NOT NULL PRIMARY KEY,"
    "  issuer TEXT NOT NULL,"
    "  subject TEXT NOT NULL,"
    "  revision TEXT NOT NULL,"
    "  client_info TEXT NOT NULL,"
    "  capabilities TEXT NOT NULL,"
    "  log_level INTEGER NOT NULL,"
    "  created INTEGER NOT NULL,"
    "  seen INTEGER NOT NULL,"
    "  expires INTEGER NOT NULL,"
    "  last_stream INTEGER NOT NULL"
    ") STRICT;"
    "CREATE INDEX sessions_by_expires ON sessions (expires, key);"
    "CREATE TABLE subscriptions ("
    "  session BLOB NOT NULL REFERENCES sessions (key),"
    "  uri TEXT NOT NULL,"
    "  PRIMARY KEY (session, uri)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE INDEX subscriptions_by_uri ON subscriptions (uri, session);"
    "CREATE TABLE streams ("
    "  session BLOB NOT NULL REFERENCES sessions (key),"
    "  stream INTEGER NOT NULL,"
    "  last INTEGER NOT NULL,"
    "  events INTEGER NOT NULL,"
    "  bytes INTEGER NOT NULL,"
    "  closed INTEGER NOT NULL,"
    "  PRIMARY KEY (session, stream)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE TABLE events ("
    "  session BLOB NOT NULL,"
    "  stream INTEGER NOT NULL,"
    "  sequence INTEGER NOT NULL,"
    "  created INTEGER NOT NULL,"
    "  bytes INTEGER NOT NULL,"
    "  data BLOB NOT NULL,"
    "  PRIMARY KEY (session, stream, sequence),"
    "  FOREIGN KEY (session, stream) REFERENCES streams (session, stream)"
    ") STRICT;"
    "CREATE INDEX events_by_created"
    "  ON events (created, session, stream, sequence);",

    // 3: the feed of changes
    "INSERT INTO counters VALUES ('changes', 0), ('changes_dropped', 0);"
    "CREATE TABLE changes ("
    "  sequence INTEGER PRIMARY KEY,"
    "  created INTEGER NOT NULL,"
    "  kind INTEGER NOT NULL,"
    "  name TEXT NOT NULL"
    ") STRICT;",
};
