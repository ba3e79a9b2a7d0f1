// SPDX-License-Identifier: Apache-2.0
//
// What handlers reach in a test: services that were given or that tools bring, in
// a folder that is removed with the mock, and the tools themselves.
#include "kit/kit.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- The folder ------------------------------------------------------------------

const char *
mica_mock_folder(struct mica_mock *mock)
{
    const char *place = getenv("TMPDIR");

    if (mock->folder[0] != '\0')
        return mock->folder;
    (void)snprintf(mock->folder, sizeof mock->folder, "%s/mica-test-XXXXXX",
                   place != NULL && place[0] != '\0' ? place : "/tmp");
    if (mkdtemp(mock->folder) == NULL)
        mica_kit_abort("cannot make the folder %s: %s", mock->folder,
                       strerror(errno));
    return mock->folder;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

void
mica_kit_empty_folder(struct mica_mock *mock)
{
    enum {
        DESCRIPTORS = 16
    };

    if (mock->folder[0] == '\0')
        return;
    if (nftw(mock->folder, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS) != 0)
        mica_kit_abort("cannot remove the folder %s: %s", mock->folder,
                       strerror(errno));
    mock->folder[0] = '\0';
}

// ---- Services --------------------------------------------------------------------

static struct mica_kit_service *
mock_find(struct mica_mock *mock, const char *namez)
{
    for (size_t i = 0; i < mock->service_count; i++) {
        if (strcmp(mock->services[i].name, namez) == 0)
            return &mock->services[i];
    }
    return NULL;
}

void *
mica_kit_service(struct mica_mock *mock, const char *namez)
{
    const struct mica_kit_service *found = mock_find(mock, namez);

    return found != NULL ? found->service : NULL;
}

void *
mica_mock_find_service(struct mica_mock *mock, const char *namez)
{
    return mica_kit_service(mock, namez);
}

void
mica_mock_service(struct mica_mock *mock, const char *namez, void *service)
{
    struct mica_kit_service *found = mock_find(mock, namez);

    if (found == NULL)
        found = MICA_KIT_NEXT(mock->services, mock->service_count);
    else if (found->opened != NULL && found->service != NULL)
        found->opened->close(found->service);
    *found = (struct mica_kit_service){
        .name = mica_kit_copy(&mock->arena, mica_text(namez)).ptr,
        .service = service};
}

static bool
open_one(struct mica_mock *mock, struct mica_here here,
         const struct mica_service_definition *brought)
{
    struct mica_kit_service *found = mock_find(mock, brought->name);
    struct mica_error error;
    char folder[PATH_MAX];

    if (found != NULL && found->service != NULL)
        return true;
    if (found == NULL) {
        found = MICA_KIT_NEXT(mock->services, mock->service_count);
        *found =
            (struct mica_kit_service){.name = brought->name, .opened = brought};
    }
    if (snprintf(folder, sizeof folder, "%s/%s", mica_mock_folder(mock),
                 brought->name) >= (int)sizeof folder ||
        (mkdir(folder, 0700) != 0 && errno != EEXIST))
        mica_kit_abort("cannot make a folder for the service \"%s\": %s",
                       brought->name, strerror(errno));
    if (brought->open(folder, &error, &found->service) == MICA_OK)
        return true;
    mica_kit_fail(here, "the service \"%s\" does not open: %s", brought->name,
                  error.message);
    return false;
}

bool
mica_kit_open_services(struct mica_mock *mock, struct mica_here here)
{
    bool opened = true;

    for (size_t i = 0; i < mock->tool_count; i++) {
        const struct mica_service_definition *const *brought =
            mock->tools[i].definition->brings;
        for (; brought != NULL && *brought != NULL; brought++)
            opened = open_one(mock, here, *brought) && opened;
    }
    return opened;
}

void *
mica_kit_keep_provider(struct mica_mock *mock)
{
    char folder[PATH_MAX + 8];
    const struct mica_keep_options options = {.folder = folder};
    struct mica_error error;

    (void)snprintf(folder, sizeof folder, "%s/keep", mica_mock_folder(mock));
    if (mock->keep == NULL &&
        mica_keep_service_open(&options, &error, &mock->keep) != MICA_OK)
        mica_kit_abort("%s", error.message);
    return &mock->keep->provider;
}

void
mica_kit_close_services(struct mica_mock *mock)
{
    if (mock->keep != NULL)
        mica_keep_service_close(mock->keep);
    mock->keep = NULL;
    for (size_t i = 0; i < mock->service_count; i++) {
        struct mica_kit_service *one = &mock->services[i];
        if (one->opened != NULL && one->service != NULL) {
            one->opened->close(one->service);
            one->service = NULL;
        }
    }
}

// ---- Tools -----------------------------------------------------------------------

static struct mica_kit_tool *
find_tool(struct mica_mock *mock, struct mica_text name)
{
    for (size_t i = 0; i < mock->tool_count; i++) {
        if (mica_text_equal(mock->tools[i].definition->name, name))
            return &mock->tools[i];
    }
    return NULL;
}

// In place of the documents of views, which `mica build` reads: a test shows none.
#define DOCUMENT "<!doctype html>"
static const char *const form_documents[] = {DOCUMENT, DOCUMENT, DOCUMENT,
                                             DOCUMENT, DOCUMENT, DOCUMENT,
                                             DOCUMENT, DOCUMENT};
_Static_assert(MICA_COUNT(form_documents) == MICA_FORM_VIEWS_MOST,
               "each form of a tool may have a view");
static const struct mica_origin origin = {.document = DOCUMENT,
                                          .form_documents = form_documents};

struct mica_kit_tool *
mica_kit_offer(struct mica_mock *mock, struct mica_here here,
               const struct mica_tool *tool)
{
    struct mica_kit_tool *offered = find_tool(mock, mica_text(tool->name));
    struct mica_definition *definition;
    struct mica_error error;

    if (offered != NULL)
        return offered;
    if (mica_definition_of_tool(tool, NULL, &origin, &error, &definition) !=
        MICA_OK) {
        mica_kit_fail(here, "no server would offer this tool: %s",
                      error.message);
        return NULL;
    }
    offered = MICA_KIT_NEXT(mock->tools, mock->tool_count);
    offered->definition = definition;
    offered->runnable = (struct mica_tool_runnable){
        .runnable = &definition->runnable,
        .steps = definition->steps,
        .fetches = definition->fetches,
        .keeps = definition->keeps,
        .form_views = mica_definition_form_views(definition),
        .name = definition->name,
        .limit_ms = definition->limit_ms};
    return offered;
}

void
mica_test_offer(struct mica_here here, struct mica_mock *mock,
                const struct mica_tool *tool)
{
    (void)mica_kit_offer(mock, here, tool);
}
