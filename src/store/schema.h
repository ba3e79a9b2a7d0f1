// SPDX-License-Identifier: Apache-2.0
//
// The tables of a SQLite file, version by version. A version that was released
// is never changed; what it lacks is the next one.
#ifndef MICA_STORE_SCHEMA_H
#define MICA_STORE_SCHEMA_H

// "mica" in ASCII, in the header of every file of ours.
#define MICA_STORE_APPLICATION 0x6D696361

// SQL texts; the first makes version 1 out of an empty file.
#define MICA_STORE_VERSION 10
// In their order; the last has no text.
struct mica_store_migration {
    int version; // that the tables have when all of its texts were run
    const char *sql;
};
extern const struct mica_store_migration mica_store_migrations[];

// The same as all of them, for an empty file: the tables of MICA_STORE_VERSION.
extern const char mica_store_tables[], mica_store_call_tables[];

#endif
