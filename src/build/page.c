// SPDX-License-Identifier: Apache-2.0
//
// The page that a tool brings: <slug>.html beside its source. The build puts the
// engine into it, because the page runs in an origin of its own and may load
// nothing of the server. It puts the design system before that, which the page's own
// styles follow. What stands in it as script or style is named by its hash, so that
// the policy of the page allows that and nothing else.
#include <sodium.h>
#include <string.h>

#include "base/ascii.h"
#include "build/engine_source.h"
#include "build/steps.h"
#include "build/view_inline.h"
#include "page/engine.h"
#include "sandbox/trust.h"
#include "view/view_document.h"

enum {
    PAGE_BYTES = 1024 * 1024,
    // Twice in a header, which has 4096 (src/http/exchange_reply.c).
    POLICY_BYTES = 1656
};

enum mica_status
mica_page_path(char out[PATH_MAX], const char *source, struct mica_error *error)
{
    struct mica_text stem = mica_text(source);
    if (stem.len > 2 && memcmp(stem.ptr + stem.len - 2, ".c", 2) == 0)
        stem.len -= 2;
    return mica_path(out, error, "%.*s.html", MICA_ARG(stem));
}

enum mica_status
mica_page_find(char out[PATH_MAX], const char *source, struct mica_error *error,
               bool *found_out)
{
    struct stat st;
    MICA_TRY(mica_page_path(out, source, error));
    *found_out = stat(out, &st) == 0;
    if (!*found_out)
        return MICA_OK;
    if (S_ISREG(st.st_mode) && st.st_size > PAGE_BYTES)
        return mica_error_set(error, MICA_E_BUILD, "",
                              "%s has %lld bytes; the page of a tool may have "
                              "%d. Put what is large into files that it loads.",
                              out, (long long)st.st_size, PAGE_BYTES);
    return mica_source_file(out, error);
}

// ---- What stands in it ---------------------------------------------------------

// Where the words are, from `at` on; the end when they are not.
static size_t
page_find(struct mica_text page, size_t at, const char *wordsz)
{
    size_t len = strlen(wordsz);
    for (; at + len <= page.len; at++) {
        if (mica_ascii_same(page.ptr + at, wordsz, len))
            return at;
    }
    return page.len;
}

static void
add_hash(struct mica_buffer *policy, struct mica_text content)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    (void)crypto_hash_sha256(hash, (const unsigned char *)content.ptr,
                             content.len);
    mica_buffer_text(policy,
                     mica_text(policy->len > 0 ? " 'sha256-" : "'sha256-"));
    mica_base64_write(policy, hash, sizeof hash);
    mica_buffer_char(policy, '\'');
}

// The content of each such element. One that loads a file has none.
static void
add_elements(struct mica_buffer *policy, struct mica_text page,
             const char *openz, const char *closez)
{
    for (size_t at = page_find(page, 0, openz); at < page.len;
         at = page_find(page, at, openz)) {
        size_t begin = page_find(page, at, ">");
        size_t end = page_find(page, begin, closez);
        if (end == page.len)
            return;
        if (end > begin + 1)
            add_hash(policy, mica_text_slice(page, begin + 1, end));
        at = end;
    }
}

// Whether the opening tag, without its '>', is that of an import map.
static bool
is_import_map(struct mica_text tag)
{
    static const char blanks[] = " \t\r\n\f", type[] = "importmap";

    for (size_t at = page_find(tag, 0, "type"); at < tag.len;
         at = page_find(tag, at, "type")) {
        at += sizeof "type" - 1;
        while (at < tag.len && strchr(blanks, tag.ptr[at]) != NULL)
            at++;
        if (at == tag.len || tag.ptr[at] != '=')
            continue;
        for (at++; at < tag.len && (strchr(blanks, tag.ptr[at]) != NULL ||
                                    tag.ptr[at] == '"' || tag.ptr[at] == '\'');)
            at++;
        if (at < tag.len && page_find(tag, at, type) == at)
            return true;
    }
    return false;
}

// The page gets the map of the engine, and browsers take one: a second one is
// merged by some, and ignored by others.
static enum mica_status
refuse_import_maps(struct mica_job *job, const char *path,
                   struct mica_text page)
{
    for (size_t at = page_find(page, 0, "<script"); at < page.len;) {
        size_t end = page_find(page, at, ">");
        if (is_import_map(mica_text_slice(page, at, end)))
            return mica_error_set(
                job->error, MICA_E_BUILD, "",
                "%s has an import map of its own; the build puts one into it "
                "for the engine, and many browsers take only one. Import "
                "\"/engines/%s.js\" by that address, and put the other modules "
                "into the page.",
                path, job->slug);
        at = page_find(page, end, "<script");
    }
    return MICA_OK;
}

// ---- The engine in it ----------------------------------------------------------

// Past what may stand before a doctype, and the doctype itself: an element before
// that would have browsers lay the page out as those of 1999 did.
static size_t
skip_doctype(struct mica_text page)
{
    static const char doctype[] = "<!doctype", mark[] = "\xEF\xBB\xBF";
    size_t begin = mica_text_starts(page, mark) ? sizeof mark - 1 : 0;
    size_t at = begin;

    for (;;) {
        while (at < page.len && strchr(" \t\r\n\f", page.ptr[at]) != NULL &&
               page.ptr[at] != '\0')
            at++;
        struct mica_text rest = mica_text_slice(page, at, page.len);
        if (!mica_text_starts(rest, "<!--"))
            break;
        at = page_find(page, at + 4, "-->");
        at = at < page.len ? at + 3 : at;
    }
    if (page_find(page, at, doctype) != at || at == page.len)
        return begin;
    at = page_find(page, at, ">");
    return at < page.len ? at + 1 : begin;
}

enum mica_status
mica_design_path(char out[PATH_MAX], const struct mica_job *job)
{
    return mica_path(out, job->error, "%s/design.css", job->tools->runtime_dir);
}

// web/design.css, from which the page starts.
static enum mica_status
put_design(struct mica_job *job, struct mica_buffer *out)
{
    struct mica_text design;
    char path[PATH_MAX];

    MICA_TRY(mica_design_path(path, job));
    MICA_TRY(mica_file_read(job->arena, path, job->error, &design));
    mica_buffer_text(out, MICA_LITERAL("<style>"));
    mica_buffer_text(out, design);
    mica_buffer_text(out, MICA_LITERAL("</style>\n"));
    return MICA_OK;
}

// `page` becomes one that has the design system and the engine inside.
static enum mica_status
put_engine(struct mica_job *job, struct mica_text *page)
{
    struct mica_text fallback = {NULL, 0};
    struct mica_page_engine engine;
    struct mica_json manifest;
    struct mica_buffer out;
    size_t at = skip_doctype(*page);

    MICA_TRY(mica_job_manifest(job)); // written again once the page has a hash
    MICA_TRY(
        mica_json_read(job->arena, job->manifest, NULL, job->error, &manifest));
    mica_page_engine_read(&manifest, &engine);
    if (job->fallback_sha256[0] != '\0')
        fallback = job->fallback;
    mica_buffer_init(&out, job->arena, job->arena->cap);
    mica_buffer_text(&out, mica_text_slice(*page, 0, at));
    MICA_TRY(put_design(job, &out));
    mica_page_engine_inline(&engine, job->module, fallback, &out);
    mica_buffer_text(&out, mica_text_slice(*page, at, page->len));
    if (out.overflow)
        return mica_error_set(job->error, MICA_E_LIMIT, "",
                              "%s: no memory for its page with the engine "
                              "inside.",
                              job->source);
    *page = mica_buffer_as_text(&out);
    return MICA_OK;
}

// ---- The page as a view ----------------------------------------------------------

// Whether a script loads a module while it runs: that has no place in a view.
static bool
imports_later(struct mica_text page)
{
    static const char import[] = "import";

    for (size_t at = page_find(page, 0, import); at < page.len;
         at = page_find(page, at, import)) {
        at += sizeof import - 1;
        while (at < page.len && strchr(" \t\r\n", page.ptr[at]) != NULL)
            at++;
        if (at < page.len && page.ptr[at] == '(')
            return true;
    }
    return false;
}

// `out` gets the document: the design system, the script that starts the engine, and the
// page with its imports from the engine as constants.
static enum mica_status
write_view(struct mica_job *job, struct mica_text page, struct mica_buffer *out,
           struct mica_error *error)
{
    char own[PATH_MAX];
    const struct mica_view_module modules[] = {
        {own, "(await globalThis.micaEngine).engine"},
        {"/engines/_engine.js", "(await globalThis.micaEngine).shared"},
        {NULL, NULL}};
    bool uses_view = false;
    const struct mica_view_imports imports = {.modules = modules,
                                              .uses_view_out = &uses_view};
    const struct mica_asset *script =
        mica_asset_find(&mica_engine_page_assets, MICA_LITERAL("page.js"));
    struct mica_page_engine engine;
    struct mica_json manifest;
    struct mica_buffer body;
    size_t at = skip_doctype(page);

    MICA_TRY(mica_path(own, error, "/engines/%s.js", job->slug));
    MICA_TRY(mica_json_read(job->arena, job->manifest, NULL, error, &manifest));
    mica_page_engine_read(&manifest, &engine);
    mica_buffer_init(&body, job->arena, job->arena->cap);
    MICA_TRY(mica_view_inline_with(mica_text_slice(page, at, page.len),
                                   &imports, &body, error));
    mica_buffer_text(out, mica_text_slice(page, 0, at));
    MICA_TRY(put_design(job, out));
    mica_page_engine_facts(&engine, !uses_view, out);
    mica_page_engine_bytes(job->module, false, out);
    mica_buffer_text(out, MICA_LITERAL("<script type=\"module\">"));
    mica_buffer_text(out, script->bytes);
    mica_buffer_text(out, MICA_LITERAL("</script>\n"));
    mica_buffer_text(out, mica_buffer_as_text(&body));
    return MICA_OK;
}

// A page that cannot be a view is one all the same; its engine keeps the view that it has
// by itself.
static enum mica_status
make_view(struct mica_job *job, const char *from, struct mica_text page)
{
    const struct mica_view nothing = {.name = job->identifier};
    struct mica_text loads = mica_view_undeclared(
        job->view_declared != NULL ? job->view_declared : &nothing, page);
    struct mica_error why = {.status = MICA_OK};
    struct mica_buffer view;
    char to[PATH_MAX];

    mica_buffer_init(&view, job->arena, job->arena->cap);
    if (imports_later(page))
        (void)mica_error_set(&why, MICA_E_USAGE, "",
                             "it has import(), and a view may load nothing");
    else if (loads.len > 0)
        (void)mica_error_set(&why, MICA_E_USAGE, "",
                             "it loads %.*s, which its .view does not declare",
                             MICA_ARG(loads));
    else if (write_view(job, page, &view, &why) == MICA_OK && !view.overflow) {
        MICA_TRY(mica_job_path(job, to, "view.html"));
        job->view = mica_buffer_as_text(&view);
        mica_trust_hash_bytes(job->view, job->view_sha256);
        return mica_file_write(to, job->view, job->error);
    }
    if (job->view_declared != NULL)
        return mica_error_set(job->error, MICA_E_BUILD, "",
                              "%s: the page is no view, as its engine says: %s",
                              from, why.message);
    mica_buffer_format(job->diagnostics,
                       "%s: warning: the page is no view, so clients show the "
                       "form of the engine instead: %s\n",
                       from, why.message);
    return MICA_OK;
}

// "mica:view" in the scripts of a page is that of views; the engine stays an import.
static enum mica_status
put_view_module(struct mica_job *job, const char *from, struct mica_text *page)
{
    const struct mica_view_imports imports = {.others = true};
    struct mica_buffer out;

    mica_buffer_init(&out, job->arena, job->arena->cap);
    if (mica_view_inline_with(*page, &imports, &out, job->error) != MICA_OK) {
        const struct mica_error reason = *job->error;
        return mica_error_set(job->error, MICA_E_BUILD, "", "%s: %s", from,
                              reason.message);
    }
    *page = mica_buffer_as_text(&out);
    return MICA_OK;
}

enum mica_status
mica_step_page(struct mica_job *job)
{
    char from[PATH_MAX], to[PATH_MAX];
    struct mica_buffer policy;
    struct mica_text page, written;
    bool found;
    MICA_TRY(mica_page_find(from, job->source, job->error, &found));
    if (!found)
        return MICA_OK;
    MICA_TRY(mica_file_read(job->arena, from, job->error, &written));
    MICA_TRY(refuse_import_maps(job, from, written));
    page = written;
    MICA_TRY(put_view_module(job, from, &page));
    MICA_TRY(put_engine(job, &page));
    MICA_TRY(make_view(job, from, written));
    mica_buffer_init(&policy, job->arena, POLICY_BYTES);
    add_elements(&policy, page, "<script", "</script");
    add_elements(&policy, page, "<style", "</style");
    if (policy.overflow)
        return mica_error_set(
            job->error, MICA_E_BUILD, "",
            "%s has too many scripts and styles inside: their "
            "hashes have %d bytes of its policy, some 28 of "
            "them. Put several into one.",
            from, POLICY_BYTES);
    job->page_policy = mica_buffer_as_text(&policy);
    MICA_TRY(mica_job_path(job, to, "page.html"));
    MICA_TRY(mica_file_write(to, page, job->error));
    job->page = page;
    mica_trust_hash_bytes(page, job->page_sha256);
    return MICA_OK;
}
