// SPDX-License-Identifier: Apache-2.0
//
// mica_server_use_rules, mica_server_use_rules_text, and the functions that the server then
// calls.
#include "serve/operator_rules.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "sandbox/trust.h"
#include "server/server.h"

enum {
    RULES_BYTES = 16 << 20, // of a rules file
    KEY_BYTES = 64 << 10,   // of the text that a bucket's key hashes
    VIEWS = 64              // in the cache
};

// A catalog as the callers of one access rule see it. Holds references to both catalogs.
struct view {
    size_t access; // index of the rule; the number of rules: no rule
    struct mica_catalog *of, *catalog;
};

// Where rules are: in a file, or in a text.
struct rules_source {
    const char *pathz;     // NULL: none
    struct mica_text text; // without a path
    const char *namez;     // in messages
};

struct mica_operator_rules {
    struct mica_arena arena;
    struct mica_rules_file file;
    struct mica_rules rules;
    struct mica_audit *audit;        // or NULL
    struct mica_result_cache *cache; // or NULL
    pthread_mutex_t lock;            // guards the members below
    struct view views[VIEWS];
    size_t next; // index of the view to replace next
    struct mica_rate_limiter limiter;
};

// ---- Callers and tools ---------------------------------------------------------------

static bool
is_of(const struct mica_access_rule *rule,
      const struct mica_principal *principal)
{
    if (rule->issuer.len > 0 &&
        (principal == NULL ||
         !mica_text_equal(rule->issuer, principal->issuer)))
        return false;
    return mica_text_is(rule->principal, "*") ||
           (mica_principal_is_known(principal) &&
            mica_text_equal(rule->principal, principal->subject));
}

static size_t
find_access(const struct mica_operator_rules *self,
            const struct mica_principal *principal)
{
    size_t i = 0;

    while (i < self->file.access.count &&
           !is_of(&self->file.access.items[i], principal))
        i++;
    return i;
}

static bool
list_has(const struct mica_text *items, size_t count, struct mica_text tool)
{
    for (size_t i = 0; i < count; i++) {
        if (mica_text_is(items[i], "*") || mica_text_equal(items[i], tool))
            return true;
    }
    return false;
}

static bool
is_permitted(const struct mica_operator_rules *self, size_t access,
             struct mica_text tool)
{
    const struct mica_access_rule *rule;

    if (access == self->file.access.count)
        return true;
    rule = &self->file.access.items[access];
    return (!rule->has_allow ||
            list_has(rule->allow.items, rule->allow.count, tool)) &&
           !list_has(rule->deny.items, rule->deny.count, tool);
}

static struct mica_text
shown_name(const struct mica_operator_rules *self, struct mica_text tool)
{
    for (size_t i = 0; i < self->file.names.count; i++) {
        if (mica_text_equal(self->file.names.items[i].tool, tool))
            return self->file.names.items[i].name;
    }
    return tool;
}

// The tool that a rule shows with that name, or the tool with that name if no rule shows it
// with another.
static struct mica_text
tool_shown_as(const struct mica_operator_rules *self, struct mica_text shown)
{
    for (size_t i = 0; i < self->file.names.count; i++) {
        if (mica_text_equal(self->file.names.items[i].name, shown))
            return self->file.names.items[i].tool;
    }
    return mica_text_equal(shown_name(self, shown), shown)
               ? shown
               : (struct mica_text){NULL, 0};
}

static struct mica_text
rules_own_name(void *data, const struct mica_principal *principal,
               struct mica_text shown)
{
    const struct mica_operator_rules *self = data;
    struct mica_text tool = tool_shown_as(self, shown);

    return tool.len > 0 &&
                   is_permitted(self, find_access(self, principal), tool)
               ? tool
               : (struct mica_text){NULL, 0};
}

// ---- Views ---------------------------------------------------------------------------

// Adds a tool to a view. Leaves it out if a rule shows another tool of the catalog with its name.
static bool
add_tool(const struct mica_operator_rules *self, size_t access,
         const struct mica_catalog *from, struct mica_catalog *view,
         struct mica_definition *tool)
{
    struct mica_text name = shown_name(self, tool->key);
    struct mica_text owner = tool_shown_as(self, name);
    struct mica_definition *named;
    bool added;

    if (!is_permitted(self, access, tool->key) ||
        (!mica_text_equal(owner, tool->key) &&
         mica_catalog_find(from, MICA_DEFINITION_TOOL, owner) != NULL))
        return true;
    if (mica_text_equal(name, tool->key))
        return mica_catalog_add(view, tool);
    named = mica_definition_named(tool, name);
    added = named != NULL && mica_catalog_add(view, named);
    mica_definition_drop(named);
    return added;
}

static struct mica_catalog *
view_make(const struct mica_operator_rules *self, size_t access,
          const struct mica_catalog *from)
{
    struct mica_catalog *view = mica_catalog_new();
    bool added = view != NULL;

    for (unsigned kind = 0; added && kind < MICA_DEFINITION_COUNT; kind++) {
        const struct mica_definition_list *list = &from->lists[kind];
        for (size_t i = 0; added && i < list->count; i++)
            added = kind == MICA_DEFINITION_TOOL
                        ? add_tool(self, access, from, view, list->items[i])
                        : mica_catalog_add(view, list->items[i]);
    }
    if (added)
        return view;
    mica_catalog_drop(view);
    return NULL;
}

static void
view_drop(struct view *view)
{
    mica_catalog_drop(view->of);
    mica_catalog_drop(view->catalog);
    *view = (struct view){.of = NULL};
}

// Drops the views of catalogs that no endpoint has any more, so that their definitions can be
// freed.
static void
drop_old_views(struct mica_operator_rules *self)
{
    for (size_t i = 0; i < VIEWS; i++) {
        struct mica_catalog *of = self->views[i].of;
        if (of != NULL && atomic_load(&of->references) == 1)
            view_drop(&self->views[i]);
    }
}

static struct mica_catalog *
view_find(const struct mica_operator_rules *self, size_t access,
          const struct mica_catalog *of)
{
    for (size_t i = 0; i < VIEWS; i++) {
        if (self->views[i].of == of && self->views[i].access == access)
            return self->views[i].catalog;
    }
    return NULL;
}

// With the lock held. The caller gets no reference of its own.
static struct mica_catalog *
view_of(struct mica_operator_rules *self, size_t access,
        struct mica_catalog *catalog)
{
    struct mica_catalog *view = view_find(self, access, catalog);
    struct view *place;

    if (view != NULL)
        return view;
    drop_old_views(self);
    view = view_make(self, access, catalog);
    if (view == NULL)
        return NULL;
    place = &self->views[self->next++ % VIEWS];
    view_drop(place);
    mica_catalog_hold(catalog);
    *place = (struct view){access, catalog, view};
    return view;
}

static struct mica_catalog *
rules_view(void *data, const struct mica_principal *principal,
           struct mica_catalog *catalog)
{
    struct mica_operator_rules *self = data;
    size_t access = find_access(self, principal);
    struct mica_catalog *view;

    if (access == self->file.access.count && self->file.names.count == 0) {
        mica_catalog_hold(catalog);
        return catalog;
    }
    pthread_mutex_lock(&self->lock);
    view = view_of(self, access, catalog);
    if (view != NULL)
        mica_catalog_hold(view);
    pthread_mutex_unlock(&self->lock);
    return view;
}

// ---- Limits --------------------------------------------------------------------------

static uint64_t
read_digits(const char *digits)
{
    char text[17];

    memcpy(text, digits, 16);
    text[16] = '\0';
    return strtoull(text, NULL, 16);
}

// Hashes the key of a bucket, so that no caller can choose the bucket of another.
static struct mica_rate_key
key_of(size_t number, bool together, const struct mica_ruled_call *call)
{
    const struct mica_principal *principal = call->caller.principal;
    bool known = mica_principal_is_known(principal);
    char sha256[MICA_SHA256_SIZE];
    struct mica_arena arena;
    struct mica_buffer text;

    mica_arena_init_small(&arena, KEY_BYTES);
    mica_buffer_init(&text, &arena, KEY_BYTES);
    mica_buffer_format(&text, "%zu", number);
    mica_buffer_char(&text, together ? '*' : known ? 'p' : 'a');
    if (!together && known) {
        mica_buffer_text(&text, principal->issuer);
        mica_buffer_char(&text, '\0');
        mica_buffer_text(&text, principal->subject);
    } else if (!together) {
        mica_buffer_text(&text, call->party);
    }
    mica_trust_hash_bytes(mica_buffer_as_text(&text), sha256);
    mica_arena_fini(&arena);
    return (struct mica_rate_key){read_digits(sha256),
                                  read_digits(sha256 + 16)};
}

// With the lock held. Returns how long the call must wait for this rule; if that is 0 and
// `counts` is set, counts the call.
static uint32_t
rule_wait_ms(struct mica_operator_rules *self, size_t number,
             const struct mica_ruled_call *call, uint64_t now_ms, bool counts)
{
    const struct mica_rate_rule *rule = &self->file.limits.items[number];
    const struct mica_rate rate = {rule->calls, rule->seconds};
    struct mica_rate_key key = key_of(number, rule->together, call);
    struct mica_rate_bucket *bucket;
    uint32_t wait_ms;

    if (rule->tool.len > 0 && !mica_text_equal(rule->tool, call->tool))
        return 0;
    bucket = mica_rate_bucket_of(&self->limiter, &key, &rate, now_ms);
    wait_ms = mica_rate_wait(bucket, &rate);
    if (wait_ms == 0 && counts)
        mica_rate_take(bucket, &rate);
    return wait_ms;
}

// A call that one rule refuses does not count for any rule.
static uint32_t
rules_take(void *data, const struct mica_ruled_call *call)
{
    struct mica_operator_rules *self = data;
    uint64_t now_ms = mica_clock_ns() / 1000000u;
    uint32_t longest = 0;

    if (self->file.limits.count == 0)
        return 0;
    pthread_mutex_lock(&self->lock);
    for (size_t i = 0; i < self->file.limits.count; i++) {
        uint32_t wait_ms = rule_wait_ms(self, i, call, now_ms, false);
        if (wait_ms > longest)
            longest = wait_ms;
    }
    for (size_t i = 0; longest == 0 && i < self->file.limits.count; i++)
        (void)rule_wait_ms(self, i, call, now_ms, true);
    pthread_mutex_unlock(&self->lock);
    return longest;
}

// ---- Running -------------------------------------------------------------------------

static void
rules_run(void *data, const struct mica_definition *tool,
          struct mica_call *call, struct mica_text arguments)
{
    struct mica_operator_rules *self = data;
    const struct mica_cache_rule *rule = &self->file.cache;

    if (list_has(rule->tools.items, rule->tools.count, tool->key))
        mica_result_cache_run(self->cache, tool, call, arguments);
    else
        tool->runnable.run(&tool->runnable, call, arguments);
}

static void
rules_record(void *data, const struct mica_ruled_call *call)
{
    struct mica_operator_rules *self = data;

    mica_audit_write(self->audit, call);
}

// ---- Open ----------------------------------------------------------------------------

static void
rules_close(void *data)
{
    struct mica_operator_rules *self = data;

    for (size_t i = 0; i < VIEWS; i++)
        view_drop(&self->views[i]);
    mica_audit_close(&self->audit);
    mica_result_cache_free(&self->cache);
    mica_arena_fini(&self->arena);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

// Warns of a rule about an unknown tool: its name may have a typing error, and then the rule
// protects nothing.
static void
check_tool(const struct mica_catalog *catalog, struct mica_text tool,
           const char *pathz, void (*warn)(void *user, const char *text),
           void *user)
{
    const struct mica_definition *nearest;
    struct mica_error error;

    if (warn == NULL || tool.len == 0 || mica_text_is(tool, "*") ||
        mica_catalog_find(catalog, MICA_DEFINITION_TOOL, tool) != NULL)
        return;
    nearest = mica_catalog_nearest(catalog, MICA_DEFINITION_TOOL, tool);
    (void)mica_error_set(
        &error, MICA_E_NOT_FOUND, "",
        "%s has a rule for the tool \"%.*s\", which is not "
        "offered%s%.*s%s",
        pathz, MICA_ARG(tool), nearest != NULL ? "; did you mean \"" : "",
        nearest != NULL ? (int)nearest->key.len : 0,
        nearest != NULL ? nearest->key.ptr : "", nearest != NULL ? "\"?" : "");
    warn(user, error.message);
}

static void
check_tools(const struct mica_operator_rules *self, struct mica_server *server,
            const char *pathz, void (*warn)(void *user, const char *text),
            void *user)
{
    struct mica_catalog *catalog = mica_registry_catalog(&server->registry);
    const struct mica_rules_file *file = &self->file;

    for (size_t i = 0; i < file->limits.count; i++)
        check_tool(catalog, file->limits.items[i].tool, pathz, warn, user);
    for (size_t i = 0; i < file->names.count; i++)
        check_tool(catalog, file->names.items[i].tool, pathz, warn, user);
    for (size_t i = 0; i < file->access.count; i++) {
        const struct mica_access_rule *rule = &file->access.items[i];
        for (size_t k = 0; k < rule->allow.count; k++)
            check_tool(catalog, rule->allow.items[k], pathz, warn, user);
        for (size_t k = 0; k < rule->deny.count; k++)
            check_tool(catalog, rule->deny.items[k], pathz, warn, user);
    }
    for (size_t i = 0; i < file->cache.tools.count; i++)
        check_tool(catalog, file->cache.tools.items[i], pathz, warn, user);
    mica_catalog_drop(catalog);
}

static enum mica_status
rules_open(struct mica_operator_rules *self, struct mica_error *error)
{
    if (self->file.has_audit)
        MICA_TRY(mica_audit_open(self->file.audit.file,
                                 self->file.audit.arguments, error,
                                 &self->audit));
    if (self->file.has_cache) {
        self->cache = mica_result_cache_new((size_t)self->file.cache.bytes,
                                            mica_clock_ns);
        if (self->cache == NULL)
            return mica_error_set(error, MICA_E_LIMIT, "",
                                  "no memory for a cache");
    }
    self->rules = (struct mica_rules){
        .data = self,
        .view = rules_view,
        .own_name = rules_own_name,
        .admit = rules_take,
        .run = self->cache != NULL ? rules_run : NULL,
        .record = self->audit != NULL ? rules_record : NULL};
    return MICA_OK;
}

static enum mica_status
rules_read(struct mica_operator_rules *self, const struct rules_source *source,
           struct mica_error *error)
{
    struct mica_text text;
    enum mica_status status;

    if (source->pathz != NULL)
        return mica_rules_file_read(source->pathz, &self->arena, error,
                                    &self->file);
    text = mica_arena_text(&self->arena, source->text);
    if (text.ptr == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    status = mica_rules_file_decode(text, &self->arena, error, &self->file);
    if (status != MICA_OK)
        mica_error_prefix(error, "%s", source->namez);
    return status;
}

static enum mica_status
rules_use(struct mica_server *server, const struct rules_source *source,
          void (*warn)(void *user, const char *text), void *user,
          struct mica_error *error)
{
    struct mica_operator_rules *self = calloc(1, sizeof *self);
    enum mica_status status;

    if (self == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    mica_arena_init(&self->arena, RULES_BYTES);
    pthread_mutex_init(&self->lock, NULL);
    status = rules_read(self, source, error);
    if (status == MICA_OK)
        status = rules_open(self, error);
    if (status != MICA_OK) {
        rules_close(self);
        return status;
    }
    if (server->coming == NULL) // otherwise the server gets its tools later
        check_tools(self, server, source->namez, warn, user);
    server->rules = &self->rules;
    mica_server_at_close(server, rules_close, self);
    return MICA_OK;
}

enum mica_status
mica_server_use_rules(struct mica_server *server, const char *pathz,
                      void (*warn)(void *user, const char *text), void *user,
                      struct mica_error *error)
{
    const struct rules_source source = {.pathz = pathz, .namez = pathz};

    return rules_use(server, &source, warn, user, error);
}

enum mica_status
mica_server_use_rules_text(struct mica_server *server, struct mica_text text,
                           const char *namez,
                           void (*warn)(void *user, const char *text),
                           void *user, struct mica_error *error)
{
    const struct rules_source source = {.text = text, .namez = namez};

    return rules_use(server, &source, warn, user, error);
}

struct mica_operator_rules *
mica_operator_rules_of(const struct mica_server *server)
{
    return server->rules != NULL ? server->rules->data : NULL;
}

struct mica_operator_counts
mica_operator_counts(struct mica_operator_rules *rules)
{
    struct mica_operator_counts counts = {.buckets = 0};

    if (rules == NULL)
        return counts;
    pthread_mutex_lock(&rules->lock);
    counts.buckets = rules->limiter.used;
    counts.displaced = rules->limiter.displaced;
    pthread_mutex_unlock(&rules->lock);
    if (rules->audit != NULL)
        counts.audit = mica_audit_counts(rules->audit);
    if (rules->cache != NULL)
        counts.cache = mica_result_cache_counts(rules->cache);
    return counts;
}
