// SPDX-License-Identifier: Apache-2.0
//
// The service "contacts": address books that are filled from feeds, in a SQLite
// file of its own. A feed is an invention: the same name gives the same rows, and
// reading them takes a while if that is wanted.
//
// Threads: any number at once.
#ifndef TOOLS_CONTACTS_H
#define TOOLS_CONTACTS_H

#include <mica/server.h>

#include "database.h"

// Opens $folder/contacts.db: what mica_service gives is a struct database.
extern const struct mica_service_definition contacts_service;

// Where an import stands.
#define CONTACTS_RUNNING  "running"
#define CONTACTS_FINISHED "finished"
#define CONTACTS_STOPPED  "stopped"

// Begins an import, or finds the one that was begun with this key.
// Errors: MICA_E_IO.
enum mica_status contacts_begin(struct database *contacts, struct mica_text key,
                                struct mica_text feed, struct mica_error *error,
                                int64_t *number_out) MICA_MUST_USE;

// Takes rows `from` to `to`, without the last, into the import. Rows that it has
// are left as they are, so a part may be taken again. Gives how many of them can
// be used: some rows of every feed have no address. Errors: MICA_E_IO.
enum mica_status contacts_take(struct database *contacts, int64_t import,
                               struct mica_text feed, int64_t from, int64_t to,
                               struct mica_error *error, int64_t *taken_out)
    MICA_MUST_USE;

// One that has finished stays so. Errors: MICA_E_IO.
enum mica_status contacts_end(struct database *contacts, int64_t import,
                              const char *state, struct mica_error *error)
    MICA_MUST_USE;

#endif
