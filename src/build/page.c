// SPDX-License-Identifier: Apache-2.0
//
// The page that a tool brings: <slug>.html beside its source. What stands in it as
// script or style is named by its hash, so that the policy of pages holds for it,
// too, and still it is one file.
#include <sodium.h>
#include <string.h>

#include "build/steps.h"
#include "sandbox/trust.h"

enum {
    PAGE_BYTES = 1024 * 1024,
    POLICY_BYTES = 1536 // twice in a header, which has 4096 (src/http/reply.c)
};

enum mica_status
mica_page_path(char out[PATH_MAX], const char *source, struct mica_error *error)
{
    struct mica_text stem = mica_text(source);
    if (stem.len > 2 && memcmp(stem.ptr + stem.len - 2, ".c", 2) == 0)
        stem.len -= 2;
    return mica_path(out, error, "%.*s.html", MICA_ARG(stem));
}

// ---- What stands in it ---------------------------------------------------------

static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

// Where the words are, from `at` on; the end when they are not.
static size_t
find(struct mica_text page, size_t at, const char *wordsz)
{
    size_t len = strlen(wordsz);
    for (; at + len <= page.len; at++) {
        size_t same = 0;
        while (same < len && lower(page.ptr[at + same]) == wordsz[same])
            same++;
        if (same == len)
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
    for (size_t at = find(page, 0, openz); at < page.len;
         at = find(page, at, openz)) {
        size_t begin = find(page, at, ">");
        size_t end = find(page, begin, closez);
        if (end == page.len)
            return;
        if (end > begin + 1)
            add_hash(policy, mica_text_slice(page, begin + 1, end));
        at = end;
    }
}

enum mica_status
mica_step_page(struct mica_job *job)
{
    char from[PATH_MAX], to[PATH_MAX];
    struct mica_buffer policy;
    struct mica_text page;
    MICA_TRY(mica_page_path(from, job->source, job->error));
    if (!mica_file_exists(from))
        return MICA_OK;
    MICA_TRY(mica_file_read(job->arena, from, job->error, &page));
    if (page.len > PAGE_BYTES)
        return mica_error_set(job->error, MICA_E_BUILD, "",
                              "%s has %zu bytes; the page of a tool may have "
                              "%d. Put what is large into files that it loads.",
                              from, page.len, PAGE_BYTES);
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
    return mica_trust_hash(to, job->error, job->page_sha256);
}
