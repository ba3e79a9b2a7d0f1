// SPDX-License-Identifier: Apache-2.0
//
// Published apps: the source (registry/endpoint_source.h) of the endpoints /servers/{slug},
// whose texts are in a store. An app is loaded when a client asks for it, and dropped when
// all loaded apps need more than their memory and it has not been used for longest. A
// thread follows the store: what any process republishes is replaced here, and what it
// withdraws is removed, within a second.
//
// The key of an endpoint is app/ID, never the slug: what a client has at one app is nothing
// at another one that gets the slug later. A collection of apps (collection_endpoint.h) is
// an endpoint like them, with the key collection/ID.
//
//   PUBLISHED-1  One thread at a time reads the store and changes what is loaded. So an
//                app that was read before a change is in the registry before the change
//                is followed.
//   PUBLISHED-2  A slug is remembered as absent only by PUBLISHED-1, and each change of
//                it is followed: it is forgotten within a second of being published.
//   PUBLISHED-3  An app that a message holds is not dropped.
//
// Threads: any but serving threads, for what reads the store.
#ifndef MICA_PUBLISH_PUBLISHED_APPS_H
#define MICA_PUBLISH_PUBLISHED_APPS_H

#include "apps/app_access.h"
#include "serve/bus.h"
#include "serve/stored_sessions.h"

#define MICA_APPS_PATH "/servers" // an app is at /servers/{slug}

enum {
    MICA_APPS_LOADED_BYTES = 64 << 20, // of all loaded apps
    MICA_APPS_ABSENT = 4096,           // slugs remembered as absent
    MICA_APPS_POLL_MS = 250 // from one look at the serial to the next
};

struct mica_app_common; // app_endpoint.h
struct mica_published_apps;

// The slug in a path "/servers/{slug}…". False: the path is another one, or no app can have
// that slug.
bool mica_published_apps_slug(struct mica_text path,
                              struct mica_text *slug_out);

struct mica_published_apps_options {
    struct mica_server *server;
    struct mica_session_store *session_store; // has the store; outlives this
    struct mica_bus *bus; // for changes; NULL: no client listens
    size_t loaded_bytes;  // 0: MICA_APPS_LOADED_BYTES
    unsigned poll_ms;     // 0: MICA_APPS_POLL_MS
    // Called when the app with that key is not served any more, for its streams. An empty
    // key: any app that is not loaded. May be NULL.
    void (*ended)(void *data, struct mica_text key);
    // Called when the app with that key may have got a version that some of its callers may
    // not call, for their streams. May be NULL.
    void (*narrowed)(void *data, struct mica_text key,
                     const struct mica_app_exposure *now);
    void *data;
};

// Becomes the source of the server's registry. Reads no store before a client asks for an
// app. Errors: MICA_E_LIMIT.
enum mica_status
mica_published_apps_open(const struct mica_published_apps_options *options,
                         struct mica_error *error,
                         struct mica_published_apps **apps_out) MICA_MUST_USE;

// Ends the thread that follows. NULL is allowed.
void mica_published_apps_stop(struct mica_published_apps *apps);

// Ends it, too, and removes all endpoints. No message may hold one. NULL is allowed.
void mica_published_apps_close(struct mica_published_apps **apps);

// Follows the changes in the store at once, after an act of this process.
void mica_published_apps_follow(struct mica_published_apps *apps);

// What tests of drafts need (app_acts.h); `data` is the struct mica_published_apps. The
// thread that follows starts, as it adds what the tests count to the store. Waits for the
// store. Errors: MICA_E_LIMIT, those of the store.
enum mica_status
mica_published_apps_tests(void *data, struct mica_error *error,
                          const struct mica_app_common **common_out)
    MICA_MUST_USE;

struct mica_published_apps_counts {
    size_t loaded, bytes; // now
    size_t absent;        // slugs remembered, now
    uint64_t looked;      // look-ups in the store: cold ones, and of changes
    uint64_t loads;       // apps that came into memory
    uint64_t failed;      // look-ups that failed: the app may be there
    uint64_t dropped;     // for want of memory
    uint64_t replaced, ended; // by changes
};
struct mica_published_apps_counts
mica_published_apps_counts(struct mica_published_apps *apps);

// ---- What pages show of an app -----------------------------------------------------

// Is the endpoint one of a published app, or of a collection of them?
bool mica_published_app_is(const struct mica_endpoint *endpoint);
bool mica_published_collection_is(const struct mica_endpoint *endpoint);

// Of a loaded app. Texts live as long as the endpoint.
struct mica_published_app {
    struct mica_text id, slug, name, description;
    const char *layoutz;
    const struct mica_definition *tool;
};
void mica_published_app_of(const struct mica_endpoint *endpoint,
                           struct mica_published_app *app_out);

// Of a loaded collection.
struct mica_published_collection {
    struct mica_text slug, name, description;
};
void
mica_published_collection_of(const struct mica_endpoint *endpoint,
                             struct mica_published_collection *collection_out);

// Calls `member` for each app of a collection that the caller may call, in their order.
void mica_published_collection_members(
    const struct mica_endpoint *endpoint, const struct mica_app_caller *caller,
    void (*member)(void *data, const struct mica_published_app *app),
    void *data);

// MICA_OK: the caller may call the app, or an app of the collection. MICA_E_UNAUTHORIZED: it
// may not, but may learn that a token is needed, so that it can get one: an app needs one,
// and no scope. MICA_E_APP: for this caller there is nothing.
enum mica_status mica_published_admits(const struct mica_endpoint *endpoint,
                                       const struct mica_app_caller *caller)
    MICA_MUST_USE;

// What an endpoint demands of its callers: that of its app, or of the app of a collection that
// demands least. Texts live as long as the endpoint.
struct mica_app_exposure
mica_published_exposure(const struct mica_endpoint *endpoint);

// Reads the document of its widget; with `mock` one that shows the app's mock data by
// itself. Errors: MICA_E_NOT_FOUND, those of the store.
enum mica_status mica_published_app_widget(const struct mica_endpoint *endpoint,
                                           bool mock, struct mica_arena *arena,
                                           struct mica_error *error,
                                           struct mica_text *html_out)
    MICA_MUST_USE;

#endif
