// SPDX-License-Identifier: Apache-2.0
//
// Published apps in a store: their drafts, versions, widgets, slugs and usage. All texts are
// opaque here: the caller checks them (src/apps), and the store returns them as they were
// given. Each function is one transaction, and may run on any thread but an I/O thread.
//
// An app is a row that its owner edits. Each publish freezes a text and a widget as a version,
// which never changes. Every change of an app raises its revision by 1 (1: just created). A
// caller names the revision that it has read; if the app has another one by now, the act
// returns MICA_E_REVISION and changes nothing, so no change is lost.
//
// A slug belongs to an app for good. After the app is deleted, only its last owner can get the
// slug again, for a new app with another id. So a conversation must be bound to the id.
//
// Processes that share a store learn of changes by the serial: a number that every change of any
// app raises (mica_store_app_serial). Serials belong to slugs, so a reader that is late by a
// year still gets each changed slug once (mica_store_app_changed_since).
//
// Errors of every function that names an app, beside those of <mica/store.h> and its own:
// MICA_E_NOT_FOUND (no app has the id or the slug).
#ifndef MICA_STORE_STORE_APPS_H
#define MICA_STORE_STORE_APPS_H

#include <mica/store.h>

// Bytes of texts, at most. A longer one is MICA_E_LIMIT.
#define MICA_STORE_APP_ID_BYTES      64
#define MICA_STORE_APP_SLUG_BYTES    64
#define MICA_STORE_APP_OWNER_BYTES   1024   // an owner, or another person
#define MICA_STORE_APP_SUMMARY_BYTES 8192   // what lists show of a draft
#define MICA_STORE_APP_DRAFT_BYTES   262144 // 256 KiB
#define MICA_STORE_APP_VERSION_BYTES 278528 // a draft and 16 KiB
#define MICA_STORE_APP_WIDGET_BYTES  262144 // 256 KiB
#define MICA_STORE_APP_HASH_BYTES    64     // the name of a widget
#define MICA_STORE_APP_TOOL_BYTES    256    // the name of a tool
#define MICA_STORE_APP_PEOPLE        64 // editors and viewers of an app, at most

// Bytes of a slug, NUL included.
#define MICA_STORE_APP_SLUG_SIZE (MICA_STORE_APP_SLUG_BYTES + 1)

// Stores contain these numbers: they never change.
enum mica_store_app_status {
    MICA_STORE_APP_DRAFT = 1, // never published, or unpublished
    MICA_STORE_APP_PUBLISHED
};

// What a person other than the owner may do. Stores contain these numbers.
enum mica_store_app_role {
    MICA_STORE_APP_EDITOR = 1,
    MICA_STORE_APP_VIEWER
};

struct mica_store_app_person {
    struct mica_text name; // as an owner is named
    enum mica_store_app_role role;
};

// What an edit writes.
struct mica_store_app_content {
    struct mica_text draft;
    struct mica_text
        summary; // what mica_store_app_list returns of the draft; may be empty
    // Who finds the app in a list besides the owner. A name that comes twice has the role of
    // its first entry.
    const struct mica_store_app_person *people;
    size_t people_count;
};

struct mica_store_app {
    // Rises with each app that is created, and is never used again: where a page of a list
    // continues.
    int64_t number;
    struct mica_text id, slug, owner;
    struct mica_text summary;
    struct mica_text draft; // lists leave it out
    enum mica_store_app_status status;
    int64_t revision;
    int64_t publish_version; // of the newest version; 0: never published
    int64_t published_at;    // 0: never
    int64_t created, changed;
};

// ---- Acts ------------------------------------------------------------------------

// Which app an act changes, and when.
struct mica_store_app_target {
    struct mica_text id;
    int64_t revision; // the one that the caller expects; 0: any
    int64_t now;
};

// The app after an act; if that returned MICA_E_REVISION, the app as it is.
struct mica_store_app_outcome {
    char slug[MICA_STORE_APP_SLUG_SIZE];
    enum mica_store_app_status status;
    int64_t revision, publish_version, published_at;
};

// Creates a draft. `slug` has 1 to 64 of [a-z0-9-]. If it is taken, the app gets "slug-2",
// "slug-3" …, with the slug cut so that 64 bytes suffice; numbers once given are not given
// again, except that an owner gets a slug of a deleted app back if it is free.
// Errors: MICA_E_EXISTS (an app has the id), MICA_E_LIMIT (too many apps, or a text is too
// long), MICA_E_FORMAT (the slug).
enum mica_status
mica_store_app_create(struct mica_store *store, struct mica_text id,
                      struct mica_text slug, struct mica_text owner,
                      const struct mica_store_app_content *content, int64_t now,
                      struct mica_error *error,
                      struct mica_store_app_outcome *outcome_out) MICA_MUST_USE;

// Replaces the draft, its summary and the people.
// Errors: MICA_E_REVISION, MICA_E_LIMIT (a text is too long, or too many people).
enum mica_status mica_store_app_edit(
    struct mica_store *store, const struct mica_store_app_target *target,
    const struct mica_store_app_content *content, struct mica_error *error,
    struct mica_store_app_outcome *outcome_out) MICA_MUST_USE;

// What a publish freezes. The number and the time of a version are not part of its text.
struct mica_store_app_release {
    struct mica_text text; // not empty
    struct mica_text
        widget; // the hash of the html, by which it is read; not empty
    struct mica_text html;
    // The name of its tool, which is its own in each collection (store_collections.h); empty:
    // no name.
    struct mica_text tool;
};

// Makes the next version, and publishes it: publish_version rises by 1, published_at is `now`.
// The draft stays. Versions beyond the newest `.app_versions` are removed; their widgets stay
// until the app is unpublished.
// Errors: MICA_E_REVISION, MICA_E_LIMIT (a text is too long, or the app has too many widgets),
// MICA_E_USAGE (the app has another html with that hash), MICA_E_EXISTS (another app of a
// collection has the tool name).
enum mica_status mica_store_app_publish(
    struct mica_store *store, const struct mica_store_app_target *target,
    const struct mica_store_app_release *release, struct mica_error *error,
    struct mica_store_app_outcome *outcome_out) MICA_MUST_USE;

// The same with text and widget of an earlier version.
// Errors: MICA_E_REVISION, MICA_E_NOT_FOUND (also: the store does not have that version),
// MICA_E_EXISTS (as above).
enum mica_status mica_store_app_rollback(
    struct mica_store *store, const struct mica_store_app_target *target,
    int64_t version, struct mica_error *error,
    struct mica_store_app_outcome *outcome_out) MICA_MUST_USE;

// Withdraws an app. Its versions stay, and widgets that no version has are removed. An app that
// is not published stays as it is, also its revision. Errors: MICA_E_REVISION.
enum mica_status mica_store_app_unpublish(
    struct mica_store *store, const struct mica_store_app_target *target,
    struct mica_error *error, struct mica_store_app_outcome *outcome_out)
    MICA_MUST_USE;

// Gives an app, with its slug, to another owner. Errors: MICA_E_REVISION, MICA_E_LIMIT.
enum mica_status mica_store_app_hand_over(
    struct mica_store *store, const struct mica_store_app_target *target,
    struct mica_text owner, struct mica_error *error,
    struct mica_store_app_outcome *outcome_out) MICA_MUST_USE;

// Removes an app with its versions, widgets and usage; its slug stays taken. The outcome has the
// last slug. Errors: MICA_E_REVISION.
enum mica_status
mica_store_app_delete(struct mica_store *store,
                      const struct mica_store_app_target *target,
                      struct mica_error *error,
                      struct mica_store_app_outcome *outcome_out) MICA_MUST_USE;

// ---- Read ------------------------------------------------------------------------

// Reads an app by its id, or by its slug, in `arena`.
enum mica_status
mica_store_app_read(struct mica_store *store, struct mica_text id,
                    struct mica_arena *arena, struct mica_error *error,
                    struct mica_store_app *app_out) MICA_MUST_USE;
enum mica_status
mica_store_app_find(struct mica_store *store, struct mica_text slug,
                    struct mica_arena *arena, struct mica_error *error,
                    struct mica_store_app *app_out) MICA_MUST_USE;

// The same for a person who owns the app, or may edit or view it. For others there is no
// such app, and to find that out costs what it costs without one: the draft is not read.
enum mica_status
mica_store_app_read_by(struct mica_store *store, struct mica_text person,
                       struct mica_text id, struct mica_arena *arena,
                       struct mica_error *error, struct mica_store_app *app_out)
    MICA_MUST_USE;
enum mica_status
mica_store_app_find_by(struct mica_store *store, struct mica_text person,
                       struct mica_text slug, struct mica_arena *arena,
                       struct mica_error *error, struct mica_store_app *app_out)
    MICA_MUST_USE;

struct mica_store_apps {
    struct mica_store_app *items; // without drafts
    size_t count;
};

// Reads at most `limit` (1 to 1000) apps in the order in which they were created, with a
// `number` above `after` (0: from the first). `person` empty: all apps; otherwise those that
// the person owns and, with `shared`, those that it may edit or view. Every page costs the
// same. Errors: MICA_E_USAGE (another limit).
enum mica_status
mica_store_app_list(struct mica_store *store, struct mica_text person,
                    bool shared, int64_t after, size_t limit,
                    struct mica_arena *arena, struct mica_error *error,
                    struct mica_store_apps *apps_out) MICA_MUST_USE;

struct mica_store_app_version {
    int64_t version, published_at;
    struct mica_text text;   // lists leave it out
    struct mica_text widget; // hash
};

// Reads a version. Errors: MICA_E_NOT_FOUND (also: the store does not have that version).
enum mica_status mica_store_app_version(
    struct mica_store *store, struct mica_text id, int64_t version,
    struct mica_arena *arena, struct mica_error *error,
    struct mica_store_app_version *version_out) MICA_MUST_USE;

struct mica_store_app_versions {
    struct mica_store_app_version *items; // without texts; the newest first
    size_t count;
};

// Reads at most `limit` (1 to 1000) versions below `before` (0: from the newest).
// Errors: MICA_E_USAGE (another limit).
enum mica_status mica_store_app_versions(
    struct mica_store *store, struct mica_text id, int64_t before, size_t limit,
    struct mica_arena *arena, struct mica_error *error,
    struct mica_store_app_versions *versions_out) MICA_MUST_USE;

// ---- What is published -----------------------------------------------------------

struct mica_store_published_app {
    struct mica_text id, owner;
    struct mica_store_app_version version; // the newest
};

// Reads what a slug serves: the look-up of a request to an app that is not loaded. Costs one
// look into an index for each of three tables. MICA_E_NOT_FOUND: also an app that is not
// published.
enum mica_status
mica_store_app_published(struct mica_store *store, struct mica_text slug,
                         struct mica_arena *arena, struct mica_error *error,
                         struct mica_store_published_app *published_out)
    MICA_MUST_USE;

// Reads a widget of a published app: the one with that hash, of any version; with an empty hash
// the one of the newest version. MICA_E_NOT_FOUND: also an app that is not published, or has no
// such widget.
enum mica_status
mica_store_app_widget(struct mica_store *store, struct mica_text slug,
                      struct mica_text hash, struct mica_arena *arena,
                      struct mica_error *error, struct mica_text *html_out)
    MICA_MUST_USE;

// Reads the serial: every change of any app raises it, in any process. 0: there was no app yet.
// Cheap enough to be read four times a second.
enum mica_status mica_store_app_serial(struct mica_store *store,
                                       struct mica_error *error,
                                       int64_t *serial_out) MICA_MUST_USE;

// What slugs name. Stores contain these numbers.
enum mica_store_slug_kind {
    MICA_STORE_SLUG_APP = 1,
    MICA_STORE_SLUG_COLLECTION // store_collections.h
};

// A slug that has changed. A deleted app leaves an empty id; if its owner has used the slug
// again, there is another id. A collection changes with each of its members, too; it has
// neither status nor version.
struct mica_store_app_change {
    int64_t serial;
    enum mica_store_slug_kind kind;
    struct mica_text slug, id;
    enum mica_store_app_status status;
    int64_t publish_version; // the same as before: only the draft has changed
};

struct mica_store_app_changes {
    struct mica_store_app_change *items; // in the order of their serials
    size_t count;
};

// Reads at most `limit` (1 to 1000) slugs that have changed after a serial, each once, as it is
// now. Errors: MICA_E_USAGE (another limit).
enum mica_status mica_store_app_changed_since(
    struct mica_store *store, int64_t serial, size_t limit,
    struct mica_arena *arena, struct mica_error *error,
    struct mica_store_app_changes *changes_out) MICA_MUST_USE;

// ---- Usage -----------------------------------------------------------------------

// Days that the store keeps; a sweep removes older ones.
#define MICA_STORE_APP_USAGE_DAYS 400

// Of an app on a day: days since 1970-01-01 (UTC).
struct mica_store_app_usage {
    struct mica_text id;
    int64_t day;
    int64_t calls, failures, tokens;
};

// Adds to the usage of apps, `count` (at most 256) in one transaction. What belongs to an app
// that was deleted is dropped. Errors: MICA_E_USAGE (more than 256).
enum mica_status
mica_store_app_usage_add(struct mica_store *store,
                         const struct mica_store_app_usage *items, size_t count,
                         struct mica_error *error) MICA_MUST_USE;

struct mica_store_app_days {
    struct mica_store_app_usage
        *items; // without ids; days without calls are missing
    size_t count;
};

// Reads the usage of an app on the days `from` to `to` (both included, at most 1000 of them).
// An unknown app has none.
enum mica_status mica_store_app_usage(struct mica_store *store,
                                      struct mica_text id, int64_t from,
                                      int64_t to, struct mica_arena *arena,
                                      struct mica_error *error,
                                      struct mica_store_app_days *days_out)
    MICA_MUST_USE;

#endif
