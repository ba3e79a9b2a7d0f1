// SPDX-License-Identifier: Apache-2.0
//
// The table of acts, and the way of each of them: read the body, find the app, ask whether
// the person may, do it, and turn a failure into the error that clients see.
#include "publish/app_acts.h"

#include <string.h>

#include "apps/app_slug.h"
#include "base/arena.h"
#include "publish/act_work.h"

enum {
    ATTEMPTS = 64, // of an act without a revision, while others change the app
    FURTHER_DEPTH = 4, // of a body, beside that of a draft
    ANY = 8            // members of a row
};

// ---- The table -------------------------------------------------------------------

// What an act takes, and what it does.
enum {
    OF_APP = 1,       // an app
    WRITES = 2,       // the scope MICA_ACT_SCOPE: it changes or costs something
    OF_DRAFT = 4,     // the members of a draft, which the act checks
    OF_COLLECTION = 8 // a collection
};

#define ROW(namez_, takes_, use_, run_, ...)                          \
    {                                                                 \
        .namez = (namez_), .takes = (takes_), .use = MICA_APP_##use_, \
        .run = mica_act_##run_, .members = {                          \
            __VA_ARGS__                                               \
        }                                                             \
    }

// `use` is an enum mica_app_act or mica_app_use.
static const struct act_row {
    const char *namez;
    unsigned takes;
    unsigned use;
    mica_act_function *run;
    const char *members[ANY]; // of a body, without those of drafts
} act_rows[MICA_ACTS] = {
    [MICA_ACT_CREATE] = ROW("create", WRITES | OF_DRAFT, CREATE, create, NULL),
    [MICA_ACT_IMPORT] = ROW("import", WRITES | OF_DRAFT, CREATE, import, NULL),
    [MICA_ACT_LIST_APPS] = ROW("list", 0, CREATE, list, "limit", "after"),
    [MICA_ACT_LAYOUTS] = ROW("layouts", 0, CREATE, layouts, NULL),
    [MICA_ACT_DRAFT] = ROW("draft", WRITES, CREATE, suggest, "sentence", "name",
                           "layoutTemplate", "by"),
    [MICA_ACT_READ] = ROW("read", OF_APP, READ, read, NULL),
    [MICA_ACT_EDIT] = ROW("edit", OF_APP | WRITES | OF_DRAFT, EDIT, edit, NULL),
    [MICA_ACT_CHECK] = ROW("check", OF_APP, EDIT, check, "draft"),
    [MICA_ACT_PREVIEW] = ROW("preview", OF_APP, READ, preview, "draft", "data"),
    [MICA_ACT_TEST] =
        ROW("test", OF_APP | WRITES, TEST, test, "message", "context", "draft"),
    [MICA_ACT_PUBLISH] = ROW("publish", OF_APP | WRITES, PUBLISH, publish,
                             "toolName", "toolDescription"),
    [MICA_ACT_UNPUBLISH] =
        ROW("unpublish", OF_APP | WRITES, UNPUBLISH, unpublish, NULL),
    [MICA_ACT_ROLLBACK] =
        ROW("rollback", OF_APP | WRITES, ROLLBACK, rollback, "version"),
    [MICA_ACT_VERSIONS] =
        ROW("versions", OF_APP, READ, versions, "limit", "before"),
    [MICA_ACT_VERSION] = ROW("version", OF_APP, READ, version, "version"),
    [MICA_ACT_DIFFERENCE] =
        ROW("difference", OF_APP, READ, difference, "from", "to"),
    [MICA_ACT_HAND_OVER] =
        ROW("hand-over", OF_APP | WRITES, HAND_OVER, hand_over, "owner"),
    [MICA_ACT_DELETE] = ROW("delete", OF_APP | WRITES, DELETE, delete, NULL),
    [MICA_ACT_EXPORT] = ROW("export", OF_APP, READ, export, NULL),
    [MICA_ACT_USAGE] = ROW("usage", OF_APP, READ, usage, "from", "to"),
    [MICA_ACT_CREATE_COLLECTION] = ROW("create-collection", WRITES | OF_DRAFT,
                                       CREATE, create_collection, NULL),
    [MICA_ACT_LIST_COLLECTIONS] =
        ROW("list-collections", 0, CREATE, list_collections, "limit", "after"),
    [MICA_ACT_READ_COLLECTION] =
        ROW("read-collection", OF_COLLECTION, READ, read_collection, NULL),
    [MICA_ACT_EDIT_COLLECTION] =
        ROW("edit-collection", OF_COLLECTION | WRITES | OF_DRAFT, EDIT,
            edit_collection, NULL),
    [MICA_ACT_ADD_MEMBER] = ROW("add-member", OF_COLLECTION | WRITES, EDIT,
                                add_member, "app", "place"),
    [MICA_ACT_REMOVE_MEMBER] = ROW("remove-member", OF_COLLECTION | WRITES,
                                   EDIT, remove_member, "app"),
    [MICA_ACT_OWN_COLLECTION] =
        ROW("hand-over-collection", OF_COLLECTION | WRITES, HAND_OVER,
            hand_over_collection, "owner"),
    [MICA_ACT_DELETE_COLLECTION] =
        ROW("delete-collection", OF_COLLECTION | WRITES, DELETE,
            delete_collection, NULL),
};

const char *
mica_act_name(enum mica_act act)
{
    return (unsigned)act < MICA_ACTS ? act_rows[act].namez : "?";
}

bool
mica_act_writes(enum mica_act act)
{
    return (unsigned)act < MICA_ACTS && (act_rows[act].takes & WRITES) != 0;
}

bool
mica_act_of_collection(enum mica_act act)
{
    return (unsigned)act < MICA_ACTS &&
           (act_rows[act].takes & OF_COLLECTION) != 0;
}

// ---- People ----------------------------------------------------------------------

enum mica_status
mica_act_person(const struct mica_acts *acts,
                const struct mica_principal *principal,
                struct mica_arena *arena, struct mica_error *error,
                struct mica_act_person *person_out)
{
    struct mica_buffer name;

    *person_out = (struct mica_act_person){.name = mica_text(MICA_ACT_LOCAL),
                                           .principal = principal};
    if (principal == NULL)
        return MICA_OK;
    person_out->name = principal->subject;
    if (acts->several_issuers ||
        mica_text_is(principal->subject, MICA_ACT_LOCAL) ||
        memchr(principal->subject.ptr, '#', principal->subject.len) != NULL) {
        mica_buffer_init(&name, arena, MICA_ACT_NAME_BYTES);
        mica_buffer_format(&name, "%.*s#%.*s", MICA_ARG(principal->issuer),
                           MICA_ARG(principal->subject));
        person_out->name = mica_buffer_as_text(&name);
        if (name.overflow)
            person_out->name.len = MICA_ACT_NAME_BYTES + 1;
    }
    if (person_out->name.len == 0 || person_out->name.len > MICA_ACT_NAME_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the subject of the access token is empty, or "
                              "longer than %d bytes with its issuer",
                              MICA_ACT_NAME_BYTES);
    return MICA_OK;
}

// ---- The body --------------------------------------------------------------------

static bool
row_has(const struct act_row *row, struct mica_text name)
{
    for (size_t i = 0; i < ANY && row->members[i] != NULL; i++)
        if (mica_text_is(name, row->members[i]))
            return true;
    return false;
}

// Lists the members that the act takes: `a, b`.
static void
write_members(const struct act_row *row, struct mica_buffer *out)
{
    for (size_t i = 0; i < ANY && row->members[i] != NULL; i++)
        mica_buffer_format(out, "%s%s", i > 0 ? ", " : "", row->members[i]);
    if (row->members[0] == NULL)
        mica_buffer_text(out, MICA_LITERAL("none"));
}

static enum mica_status
refuse_member(struct mica_act_work *work, const struct act_row *row,
              struct mica_text name)
{
    char room[128];
    struct mica_buffer members = {
        .ptr = room, .capacity = sizeof room - 1, .max = sizeof room - 1};

    write_members(row, &members);
    room[members.len] = '\0';
    return mica_act_refuse_member(work, name, room);
}

static enum mica_status
body_read(struct mica_act_work *work, const struct act_row *row)
{
    static const struct mica_json empty = {.kind = MICA_JSON_OBJECT};
    const struct mica_json_limits limits = {
        .depth = MICA_APP_DEPTH + FURTHER_DEPTH, .bytes = MICA_ACT_BODY_BYTES};

    work->body = empty;
    if (work->request->body.len > 0)
        MICA_TRY(mica_json_read(work->arena, work->request->body, &limits,
                                work->error, &work->body));
    if (work->body.kind != MICA_JSON_OBJECT)
        return mica_error_set(work->error, MICA_E_CONFIG, "",
                              "the request must be a JSON object, but is a "
                              "value of type %s",
                              mica_json_kind_name(work->body.kind));
    for (size_t i = 0; (row->takes & OF_DRAFT) == 0 && i < work->body.count;
         i++)
        if (!row_has(row, work->body.members[i].name))
            return refuse_member(work, row, work->body.members[i].name);
    return MICA_OK;
}

// ---- The app ---------------------------------------------------------------------

// An id has a "_", a slug never. The store decides who sees an app, not this after it has
// read the draft: a large one takes milliseconds, by which a stranger could tell an app from
// none [ACT-1].
static enum mica_status
app_find(struct mica_act_work *work)
{
    struct mica_text name = work->request->app, person = work->person->name;
    struct mica_store *store = work->acts->store;
    bool is_id, all = work->person->is_operator;

    if (name.len == 0 || name.len > MICA_STORE_APP_ID_BYTES)
        return MICA_E_NOT_FOUND;
    is_id = memchr(name.ptr, '_', name.len) != NULL;
    if (!is_id && !mica_app_slug_valid(name))
        return MICA_E_NOT_FOUND;
    if (all)
        return is_id ? mica_store_app_read(store, name, work->arena,
                                           work->error, &work->app)
                     : mica_store_app_find(store, name, work->arena,
                                           work->error, &work->app);
    return is_id ? mica_store_app_read_by(store, person, name, work->arena,
                                          work->error, &work->app)
                 : mica_store_app_find_by(store, person, name, work->arena,
                                          work->error, &work->app);
}

// What stands in the store was checked before it was written, so what is wrong now is not
// the caller's fault.
static enum mica_status
app_read_draft(struct mica_act_work *work)
{
    struct mica_app_findings *findings =
        mica_arena_zero(work->arena, 1, sizeof *findings);
    enum mica_status status;

    if (findings == NULL)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    mica_app_findings_init(findings, work->arena);
    status = mica_app_draft_read(work->app.draft, work->arena, findings,
                                 work->error, &work->draft);
    if (status == MICA_E_CONFIG)
        return mica_error_set(work->error, MICA_E_EXECUTION, "",
                              "the stored draft of the app is damaged");
    return status;
}

static enum mica_status
app_load(struct mica_act_work *work, const struct act_row *row)
{
    enum mica_status status = app_find(work);

    if (status == MICA_E_NOT_FOUND)
        return mica_act_refuse_unknown(work, "app");
    MICA_TRY(status);
    MICA_TRY(app_read_draft(work));
    work->facts = mica_act_facts(&work->app);
    work->role = work->person->is_operator
                     ? MICA_APP_OWNER
                     : mica_app_role_of(&work->draft, work->app.owner,
                                        work->person->name);
    if (!mica_app_may(work->role, MICA_APP_READ))
        return mica_act_refuse_unknown(work, "app");
    work->answer->revision = work->app.revision;
    MICA_TRY(mica_app_may_act(work->role, row->use, work->error));
    if (work->request->revision == MICA_ACT_UNSAID)
        return mica_error_set(
            work->error, MICA_E_UNCONDITIONAL, "",
            "say which revision of the app the change is made to: send "
            "If-Match: \"%lld\", which is the revision of now, or If-Match: * "
            "to change whatever is there",
            (long long)work->app.revision);
    if (work->request->revision != 0 &&
        work->request->revision != work->app.revision)
        return mica_error_set(
            work->error, MICA_E_REVISION, "",
            "the app has revision %lld by now, and you have read %lld; read "
            "it again, and repeat the change if it is still right",
            (long long)work->app.revision, (long long)work->request->revision);
    return MICA_OK;
}

// ---- Errors ----------------------------------------------------------------------

// What is wrong with a request or a draft is INVALID_CONFIG, also if the store has found it.
static bool
is_of_config(enum mica_status status)
{
    enum mica_failure kind = mica_status_kind(status);

    return status == MICA_E_LIMIT || status == MICA_E_NOT_FOUND ||
           status == MICA_E_EXISTS ||
           (kind == MICA_INPUT && mica_app_error_status(status) != status);
}

// Does the answer to the error say which revision the app has?
static bool
is_of_revision(enum mica_status status)
{
    return status == MICA_E_REVISION || status == MICA_E_UNCONDITIONAL;
}

static void
write_details(const struct mica_act_work *work, const struct mica_error *error,
              struct mica_buffer *out)
{
    struct mica_json_writer writer;

    mica_json_writer_init(&writer, out);
    mica_json_open_object(&writer);
    if (is_of_config(error->status))
        mica_json_field(&writer, "reason", mica_text(error->code));
    if (error->path[0] != '\0')
        mica_json_field(&writer, "path", mica_text(error->path));
    if (is_of_revision(error->status)) {
        mica_json_name(&writer, "revision");
        mica_json_integer(&writer, work->answer->revision);
    }
    if (work->refused_draft) {
        mica_json_name(&writer, "findings");
        mica_app_findings_write(&writer, work->findings);
    }
    mica_json_close_object(&writer);
}

static enum mica_status
act_fail(struct mica_act_work *work)
{
    struct mica_error *error = work->error;
    struct mica_act_answer *answer = work->answer;
    struct mica_buffer details;

    answer->json = answer->html = (struct mica_text){NULL, 0};
    if (!is_of_revision(error->status))
        answer->revision = 0;
    mica_app_error_make(error, work->arena, &answer->error);
    answer->error.message =
        mica_arena_text(work->arena, mica_text(error->message));
    if (work->details.len > 0) {
        answer->error.details = work->details;
        return answer->error.status;
    }
    if (is_of_config(error->status))
        answer->error.status = MICA_E_CONFIG;
    if (!is_of_config(error->status) && !is_of_revision(error->status) &&
        !work->refused_draft)
        return answer->error.status;
    mica_buffer_init(&details, work->arena, MICA_ACT_ANSWER_BYTES);
    write_details(work, error, &details);
    answer->error.details = details.overflow ? (struct mica_text){NULL, 0}
                                             : mica_buffer_as_text(&details);
    return answer->error.status;
}

// ---- Acting ----------------------------------------------------------------------

static enum mica_status
run_once(struct mica_act_work *work, const struct act_row *row)
{
    *work->answer = (struct mica_act_answer){.revision = 0};
    work->actz = row->namez;
    work->findings = NULL;
    work->refused_draft = false;
    work->details = (struct mica_text){NULL, 0};
    memset(&work->collection, 0, sizeof work->collection);
    MICA_TRY(body_read(work, row));
    if ((row->takes & OF_APP) != 0 &&
        !(work->request->act == MICA_ACT_CHECK && work->request->app.len == 0))
        MICA_TRY(app_load(work, row));
    if ((row->takes & OF_COLLECTION) != 0)
        MICA_TRY(mica_act_load_collection(work, row->use));
    return row->run(work);
}

// A caller without a revision wants its change whatever others have changed meanwhile, so
// it is made again on what they have left.
enum mica_status
mica_act_run(const struct mica_acts *acts, const struct mica_act_person *person,
             const struct mica_act_request *request, struct mica_arena *arena,
             struct mica_act_answer *answer_out)
{
    const struct mica_arena before = *arena;
    struct mica_error error = {.status = MICA_OK};
    struct mica_act_work work = {.acts = acts,
                                 .person = person,
                                 .request = request,
                                 .arena = arena,
                                 .error = &error,
                                 .answer = answer_out};
    enum mica_status status;
    unsigned attempt = 0;

    if ((unsigned)request->act >= MICA_ACTS) {
        *answer_out = (struct mica_act_answer){.revision = 0};
        (void)mica_error_set(&error, MICA_E_USAGE, "", "there is no such act");
        return act_fail(&work);
    }
    do {
        if (attempt > 0)
            mica_arena_rewind(arena, &before);
        status = run_once(&work, &act_rows[request->act]);
    } while (status == MICA_E_REVISION && request->revision == 0 &&
             ++attempt < ATTEMPTS);
    if (status == MICA_SUSPENDED)
        return status;
    // A store that found nothing had the app when the act began.
    if (status == MICA_E_NOT_FOUND &&
        (act_rows[request->act].takes & (OF_APP | OF_COLLECTION)) != 0 &&
        error.path[0] == '\0')
        status = mica_act_refuse_unknown(
            &work, (act_rows[request->act].takes & OF_COLLECTION) != 0
                       ? "collection"
                       : "app");
    return status == MICA_OK ? MICA_OK : act_fail(&work);
}
