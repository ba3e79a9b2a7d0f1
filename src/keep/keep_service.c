// SPDX-License-Identifier: Apache-2.0
//
// See keep_service.h.
#include "keep/keep_service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keep/keep_database.h"

// ---- The folder --------------------------------------------------------------------

static enum mica_status
folder_failed(const char *folder, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_KEEP, "",
                          "cannot make the folder %s: %s", folder,
                          strerror(errno));
}

// Makes the folder and those above it, for this user.
static enum mica_status
make_folder(const char *folder, struct mica_error *error)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof path, "%s", folder);
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return folder_failed(path, error);
        *at = '/';
    }
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return folder_failed(path, error);
    return MICA_OK;
}

// Another user who may write there could put a database in the place of ours.
static enum mica_status
check_folder(const char *folder, struct mica_error *error)
{
    struct stat st;

    MICA_TRY(make_folder(folder, error));
    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return mica_error_set(error, MICA_E_KEEP, "", "%s is no folder",
                              folder);
    if ((st.st_uid == geteuid() || st.st_uid == 0) && (st.st_mode & 022) == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_TRUST, "",
                          "other users may write the folder %s; chmod go-w it, "
                          "or name another one (keep.path)",
                          folder);
}

// ---- Databases ---------------------------------------------------------------------

static struct mica_keep_database *
database_find(const struct mica_keep_service *service, struct mica_text name)
{
    struct mica_keep_database *database = service->databases;

    while (database != NULL && !mica_text_equal(database->name, name))
        database = database->next;
    return database;
}

static void
database_free(struct mica_keep_database *database)
{
    mica_keep_database_close(database);
    pthread_mutex_destroy(&database->lock);
    free(database->namez);
    free(database);
}

static struct mica_keep_database *
database_make(const struct mica_keep_service *service, const char *namez)
{
    struct mica_keep_database *database = calloc(1, sizeof *database);
    char *copy = strdup(namez);

    if (database == NULL || copy == NULL ||
        snprintf(database->path, sizeof database->path, "%s/%s.db",
                 service->folder, namez) >= (int)sizeof database->path) {
        free(database);
        free(copy);
        return NULL;
    }
    database->namez = copy;
    database->name = mica_text(copy);
    pthread_mutex_init(&database->lock, NULL);
    return database;
}

// Under the lock of the list: a file is opened once.
static struct mica_keep_database *
database_open(struct mica_keep_service *service, const char *namez,
              struct mica_error *error)
{
    struct mica_keep_database *database;

    if (check_folder(service->folder, error) != MICA_OK)
        return NULL;
    database = database_make(service, namez);
    if (database == NULL) {
        mica_error_set(error, MICA_E_LIMIT, "", "no memory");
        return NULL;
    }
    if (mica_keep_database_open(database, service->megabytes, error) !=
        MICA_OK) {
        database_free(database);
        return NULL;
    }
    database->next = service->databases;
    service->databases = database;
    return database;
}

// NULL: the error says why.
static struct mica_keep_database *
database_obtain(struct mica_keep_service *service, const char *namez,
                struct mica_error *error)
{
    struct mica_keep_database *database;

    pthread_mutex_lock(&service->lock);
    database = database_find(service, mica_text(namez));
    if (database == NULL)
        database = database_open(service, namez, error);
    pthread_mutex_unlock(&service->lock);
    return database;
}

// ---- Running -----------------------------------------------------------------------

static enum mica_status
service_run(void *data, const struct mica_keep_order *order,
            struct mica_arena *arena, struct mica_error *error)
{
    struct mica_keep_service *service = data;
    struct mica_keep_database *database =
        database_obtain(service, order->place->name, error);
    enum mica_status status = MICA_E_KEEP;

    if (database == NULL) {
        status = error->status;
    } else {
        pthread_mutex_lock(&database->lock);
        status = mica_keep_order_run(database, order, arena, error);
        atomic_fetch_add(&service->replayed, database->replayed);
        atomic_fetch_add(&service->expired, database->expired);
        pthread_mutex_unlock(&database->lock);
    }
    atomic_fetch_add(&service->steps, 1);
    atomic_fetch_add(&service->failed, status != MICA_OK);
    return status;
}

enum mica_status
mica_keep_service_open(const struct mica_keep_options *options,
                       struct mica_error *error,
                       struct mica_keep_service **service_out)
{
    enum {
        NAME_ROOM = 256 // of a file in the folder
    };
    struct mica_keep_service *service;

    if (options->folder == NULL || options->folder[0] != '/' ||
        strlen(options->folder) + NAME_ROOM > PATH_MAX)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "databases of tools need the absolute path of a "
                              "folder, of at most %d bytes",
                              PATH_MAX - NAME_ROOM);
    service = calloc(1, sizeof *service);
    if (service == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    (void)snprintf(service->folder, sizeof service->folder, "%s",
                   options->folder);
    service->megabytes = options->megabytes;
    service->provider = (struct mica_keep_provider){service_run, service};
    pthread_mutex_init(&service->lock, NULL);
    *service_out = service;
    return MICA_OK;
}

void
mica_keep_service_close(void *data)
{
    struct mica_keep_service *service = data;

    while (service->databases != NULL) {
        struct mica_keep_database *database = service->databases;
        service->databases = database->next;
        database_free(database);
    }
    pthread_mutex_destroy(&service->lock);
    free(service);
}
