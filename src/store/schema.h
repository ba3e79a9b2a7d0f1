// SPDX-License-Identifier: Apache-2.0
//
// The tables of a SQLite file, version by version. A version that was released
// is never changed; what it lacks is the next one.
#ifndef MICA_STORE_SCHEMA_H
#define MICA_STORE_SCHEMA_H

// "mica" in ASCII, in the header of every file of ours.
#define MICA_STORE_APPLICATION 0x6D696361

// SQL texts; the first makes version 1 out of an empty file.
#define MICA_STORE_VERSION 9
extern const char *const mica_store_migrations[MICA_STORE_VERSION];

#endif
