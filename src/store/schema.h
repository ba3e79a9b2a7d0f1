// SPDX-License-Identifier: Apache-2.0
//
// The tables of a SQLite file, version by version. A released version never changes; a
// change is a new version.
#ifndef MICA_STORE_SCHEMA_H
#define MICA_STORE_SCHEMA_H

// "mica" in ASCII, in the header of every file of mica.
#define MICA_STORE_APPLICATION 0x6D696361

// SQL texts; the first turns an empty file into version 1.
#define MICA_STORE_VERSION 12
// The migrations in their order; the last has no text.
struct mica_store_migration {
    int version; // of the tables after all its texts have run
    const char *sql;
};
extern const struct mica_store_migration mica_store_migrations[];

// The tables of MICA_STORE_VERSION, for an empty file; the same as all migrations.
extern const char mica_store_tables[], mica_store_call_tables[],
    mica_store_app_tables[], mica_store_collection_tables[];

#endif
