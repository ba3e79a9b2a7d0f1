// SPDX-License-Identifier: Apache-2.0
//
// Services: handlers find them by name. The program adds a service, or a tool opens it.
// The list only grows while the server lives, so readers need no lock. A new build of a
// tool does not get the service that the old build opened, because the two may disagree
// on its layout.
#include <string.h>

#include "registry/service.h"

enum {
    NAME_LENGTH = 64,
    ENTRY_BYTES = 64 << 10
};

// ---- The list --------------------------------------------------------------------

// The name of a service is also the name of its folder.
static enum mica_status
check_name(const char *namez, struct mica_error *error)
{
    size_t length = namez != NULL ? strlen(namez) : 0;
    bool fits = length > 0 && length <= NAME_LENGTH;

    for (size_t i = 0; i < length && fits; i++) {
        char c = namez[i];
        fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-';
    }
    if (fits)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "'%.80s' cannot be the name of a service: use 1 to "
                          "%d of a-z 0-9 _ -",
                          namez != NULL ? namez : "", NAME_LENGTH);
}

// Names of mica's own services are not for others.
static enum mica_status
check_free(const char *namez, struct mica_error *error)
{
    MICA_TRY(check_name(namez, error));
    if (strncmp(namez, MICA_SERVICE_PREFIX, strlen(MICA_SERVICE_PREFIX)) != 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "'%s' cannot be the name of a service: those that "
                          "begin with " MICA_SERVICE_PREFIX " are mica's own",
                          namez);
}

static struct mica_service_entry *
make_entry(const char *namez, struct mica_error *error)
{
    struct mica_arena arena;
    struct mica_service_entry *entry;
    const char *name;

    mica_arena_init(&arena, ENTRY_BYTES);
    entry = mica_arena_zero(&arena, 1, sizeof *entry);
    name = mica_arena_text(&arena, mica_text(namez)).ptr;
    if (entry == NULL || name == NULL) {
        mica_arena_fini(&arena);
        (void)mica_error_set(error, MICA_E_LIMIT, "",
                             "no memory for one more service");
        return NULL;
    }
    entry->arena = arena;
    entry->name = name;
    return entry;
}

// Closes the service, and frees the entry.
static void
drop_entry(struct mica_service_entry *entry)
{
    struct mica_arena arena = entry->arena;
    struct mica_definition *opener = entry->opener;

    if (entry->close != NULL)
        entry->close(entry->service);
    mica_definition_drop(opener);
    // The entry lies in its own arena, which was copied before.
    mica_arena_fini(&arena);
}

// Returns false if another thread has added an entry since `newest` was read.
static bool
registry_push(struct mica_registry *registry, struct mica_service_entry *entry,
              struct mica_service_entry *newest)
{
    entry->next = newest;
    return atomic_compare_exchange_strong(&registry->services, &newest, entry);
}

static struct mica_service_entry *
find_program_service(struct mica_service_entry *entry, const char *namez)
{
    while (entry != NULL &&
           (entry->opener != NULL || strcmp(entry->name, namez) != 0))
        entry = entry->next;
    return entry;
}

enum mica_status
mica_registry_give_service(struct mica_registry *registry, const char *namez,
                           void *service, struct mica_error *error)
{
    MICA_TRY(check_free(namez, error));
    return mica_registry_keep_service(registry, namez, service, NULL, error);
}

enum mica_status
mica_registry_keep_service(struct mica_registry *registry, const char *namez,
                           void *service, void (*close)(void *service),
                           struct mica_error *error)
{
    struct mica_service_entry *entry, *newest;

    MICA_TRY(check_name(namez, error));
    entry = make_entry(namez, error);
    if (entry == NULL)
        return MICA_E_LIMIT;
    entry->service = service;
    entry->close = close;
    do {
        newest = atomic_load(&registry->services);
        if (find_program_service(newest, namez) != NULL) {
            entry->close = NULL; // it stays the caller's
            drop_entry(entry);
            return mica_error_set(error, MICA_E_EXISTS, "",
                                  "there is a service '%s' already: give one "
                                  "of them another name",
                                  namez);
        }
    } while (!registry_push(registry, entry, newest));
    return MICA_OK;
}

void
mica_services_close(struct mica_registry *registry)
{
    struct mica_service_entry *entry = atomic_load(&registry->services);

    while (entry != NULL) {
        struct mica_service_entry *next = entry->next;
        drop_entry(entry);
        entry = next;
    }
    atomic_store(&registry->services, NULL);
}

// ---- Services of tools -----------------------------------------------------------

// May the tool share the service? Only if the same build opened it, or another tool that
// is built with the same shared code.
static bool
may_share(const struct mica_service_entry *entry,
          const struct mica_definition *definition)
{
    const struct mica_definition *opener = entry->opener;

    return opener == NULL ||
           (mica_text_equal(opener->family, definition->family) &&
            (!mica_text_equal(opener->name, definition->name) ||
             mica_text_equal(opener->version, definition->version)));
}

static struct mica_service_entry *
find_shared(struct mica_service_entry *newest,
            const struct mica_definition *definition, const char *namez)
{
    struct mica_service_entry *given = find_program_service(newest, namez);

    for (; given == NULL && newest != NULL; newest = newest->next) {
        if (strcmp(newest->name, namez) == 0 && may_share(newest, definition))
            return newest;
    }
    return given;
}

static enum mica_status
open_one(struct mica_registry *registry, struct mica_definition *definition,
         const struct mica_service_definition *brought,
         struct mica_error *error, struct mica_service_entry **entry_out)
{
    char folder[MICA_FOLDER_SIZE];
    struct mica_service_entry *entry;
    enum mica_status status;

    if (registry->folder == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the service '%s' needs a folder: call "
                              "mica_server_use_folder before the tool is "
                              "added, or give the service itself with "
                              "mica_server_add_service",
                              brought->name);
    MICA_TRY(
        registry->folder(registry->folder_data, brought->name, error, folder));
    entry = make_entry(brought->name, error);
    if (entry == NULL)
        return MICA_E_LIMIT;
    status = brought->open(folder, error, &entry->service);
    if (status != MICA_OK) {
        mica_error_prefix(error, "service '%s'", brought->name);
        drop_entry(entry);
        return status;
    }
    entry->close = brought->close;
    entry->opener = definition;
    mica_definition_hold(definition);
    *entry_out = entry;
    return MICA_OK;
}

// Finds or opens the service. If two threads open it at once, one of them closes its own.
static enum mica_status
registry_obtain(struct mica_registry *registry,
                struct mica_definition *definition,
                const struct mica_service_definition *brought,
                struct mica_error *error, struct mica_service_entry **entry_out)
{
    struct mica_service_entry *own = NULL, *newest;

    MICA_TRY(check_free(brought->name, error));
    for (;;) {
        newest = atomic_load(&registry->services);
        *entry_out = find_shared(newest, definition, brought->name);
        if (*entry_out != NULL) {
            if (own != NULL)
                drop_entry(own);
            return MICA_OK;
        }
        if (own == NULL)
            MICA_TRY(open_one(registry, definition, brought, error, &own));
        if (registry_push(registry, own, newest)) {
            *entry_out = own;
            return MICA_OK;
        }
    }
}

enum mica_status
mica_registry_open_services(struct mica_registry *registry,
                            struct mica_definition *definition,
                            struct mica_error *error)
{
    struct mica_service_entry **entries;
    size_t count = 0;

    if (definition->brings == NULL || definition->services != NULL)
        return MICA_OK;
    while (definition->brings[count] != NULL)
        count++;
    entries = mica_arena_zero(&definition->arena, count + 1, sizeof(void *));
    if (entries == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more tool");
    for (size_t i = 0; i < count; i++) {
        enum mica_status status = registry_obtain(
            registry, definition, definition->brings[i], error, &entries[i]);
        if (status != MICA_OK) {
            mica_error_prefix(error, "tool '%.*s'", MICA_ARG(definition->name));
            return status;
        }
    }
    definition->services = entries;
    return MICA_OK;
}

// ---- Search ----------------------------------------------------------------------

void *
mica_registry_service(struct mica_registry *registry,
                      const struct mica_definition *definition,
                      const char *namez)
{
    struct mica_service_entry *entry = atomic_load(&registry->services);
    struct mica_service_entry *given = find_program_service(entry, namez);

    if (given != NULL)
        return given->service;
    if (definition != NULL && definition->services != NULL) {
        struct mica_service_entry **own = definition->services;
        for (; *own != NULL; own++) {
            if (strcmp((*own)->name, namez) == 0)
                return (*own)->service;
        }
    }
    while (entry != NULL && strcmp(entry->name, namez) != 0)
        entry = entry->next;
    return entry != NULL ? entry->service : NULL;
}
