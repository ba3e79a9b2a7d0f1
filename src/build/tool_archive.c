// SPDX-License-Identifier: Apache-2.0
//
// The archive of tools/lib that one build leaves for the next. It lies in the folder of
// built tools, and a project that was cloned may bring one: under the name that its
// sources give it, with other code. So a build links none without a seal of this user,
// and links it in a folder of its own, where it was hashed.
#include "build/tool_build.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/seal.h"

// In the seal in the place of a manifest's hash, so that no seal of a tool is one of
// an archive.
static const char sealed_as[] = "tools/lib";

// job->archive is no link and has the hash that this user has sealed.
static bool
is_own(const struct mica_tool_job *job, const char *folder)
{
    char object[MICA_SHA256_SIZE], use[MICA_SHA256_SIZE];
    struct mica_error ignored;
    struct stat st;
    mica_trust_hash_bytes(mica_text(sealed_as), use);
    return lstat(job->archive, &st) == 0 && S_ISREG(st.st_mode) &&
           mica_trust_hash(job->archive, &ignored, object) == MICA_OK &&
           mica_seal_check(folder, job->family, object, use, &ignored) ==
               MICA_OK;
}

bool
mica_tool_archive_take(struct mica_tool_job *job, const char *folder)
{
    char kept[PATH_MAX];
    (void)unlink(job->archive); // of a try before
    if (mica_path(kept, NULL, "%s/%s.a", folder, job->family) != MICA_OK ||
        link(kept, job->archive) != 0)
        return false;
    if (is_own(job, folder))
        return true;
    (void)unlink(job->archive);
    return false;
}

// The text of its seal. MICA_E_NOT_FOUND: this user has no key.
static enum mica_status
seal_archive(const struct mica_tool_job *job, char text[MICA_SEAL_SIZE])
{
    struct mica_seal_key key;
    struct mica_sealed sealed;
    struct mica_error ignored; // what is built is sealed, and says why not
    if (mica_seal_key(&ignored, &key) != MICA_OK)
        return MICA_E_NOT_FOUND;
    MICA_TRY(mica_trust_hash(job->archive, job->error, sealed.object));
    mica_trust_hash_bytes(mica_text(sealed_as), sealed.manifest);
    return mica_seal_write(&key, job->family, &sealed, text)
               ? MICA_OK
               : mica_error_set(job->error, MICA_E_INTERNAL, "",
                                "%s has no hash.", job->archive);
}

enum mica_status
mica_tool_archive_keep(struct mica_tool_job *job, const char *folder)
{
    char text[MICA_SEAL_SIZE], from[PATH_MAX], to[PATH_MAX];
    enum mica_status status = seal_archive(job, text);
    if (status == MICA_E_NOT_FOUND)
        return MICA_OK;
    MICA_TRY(status);
    MICA_TRY(mica_path(from, job->error, "%s/kept.a", job->folder));
    MICA_TRY(mica_path(to, job->error, "%s/%s.a", folder, job->family));
    if (link(job->archive, from) != 0)
        return MICA_OK; // no such links here: each build makes its own
    MICA_TRY(mica_file_publish(from, to, job->error));
    MICA_TRY(mica_path(to, job->error, "%s/%s.seal", folder, job->family));
    return mica_file_write(to, mica_text(text), job->error);
}
