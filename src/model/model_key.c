// SPDX-License-Identifier: Apache-2.0
//
// See model_key.h.
#include "model/model_key.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fetch/fetch_policy.h"

// Takes the bytes of a regular file that others can neither read nor write. A pipe would
// make the start wait.
static const char *
key_take_file(int file, bool credential, char *out, size_t *size_out)
{
    struct stat about;
    ssize_t got;

    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        return "is no file";
    // systemd gives a credential to the user of the service, by an ACL that shows as the
    // mode of a group; its folder is closed to others.
    if (!credential && (about.st_mode & (S_IWGRP | S_IROTH | S_IWOTH)) != 0)
        return "can be read or changed by other users; run chmod 600 on it";
    got = read(file, out, MICA_MODEL_KEY_SIZE);
    if (got < 0)
        return "cannot be read";
    *size_out = (size_t)got;
    return NULL;
}

static enum mica_status
key_open(const char *pathz, bool credential, struct mica_error *error,
         char *out, size_t *size_out)
{
    int file = open(pathz, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const char *wrong;

    if (file < 0)
        return mica_error_set(
            error, errno == ENOENT ? MICA_E_NOT_FOUND : MICA_E_IO, "",
            "the key cannot be read from %s: %s", pathz, strerror(errno));
    wrong = key_take_file(file, credential, out, size_out);
    (void)close(file);
    if (wrong == NULL)
        return MICA_OK;
    return mica_error_set(error, MICA_E_TRUST, "", "%s, with the key, %s",
                          pathz, wrong);
}

static enum mica_status
key_of_credential(const char *name, struct mica_error *error, char *out,
                  size_t *size_out)
{
    const char *folder = getenv("CREDENTIALS_DIRECTORY");
    char path[PATH_MAX];

    if (folder == NULL || folder[0] != '/')
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "the key is the credential %s, and the service "
                              "has none: put LoadCredential=%s:PATH into its "
                              "unit",
                              name, name);
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the path of the credential is too long");
    return key_open(path, true, error, out, size_out);
}

static enum mica_status
key_of_environment(const char *name, struct mica_error *error, char *out,
                   size_t *size_out)
{
    const char *value = getenv(name);

    if (value == NULL || value[0] == '\0')
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "the key is in the variable %s, which is not "
                              "set: set it in the environment of the server",
                              name);
    *size_out = strnlen(value, MICA_MODEL_KEY_SIZE);
    memcpy(out, value, *size_out);
    return MICA_OK;
}

enum mica_status
mica_model_key_read(const struct mica_model_provider_options *provider,
                    struct mica_error *error, char out[MICA_MODEL_KEY_SIZE],
                    struct mica_text *key_out)
{
    size_t size = 0;

    *key_out = (struct mica_text){NULL, 0};
    if (provider->key_env != NULL)
        MICA_TRY(key_of_environment(provider->key_env, error, out, &size));
    else if (provider->key_file != NULL)
        MICA_TRY(key_open(provider->key_file, false, error, out, &size));
    else if (provider->key_credential != NULL)
        MICA_TRY(
            key_of_credential(provider->key_credential, error, out, &size));
    else
        return MICA_OK;
    // Editors end a file with a line end.
    while (size > 0 && (out[size - 1] == '\n' || out[size - 1] == '\r'))
        size--;
    key_out->ptr = out;
    key_out->len = size;
    if (mica_fetch_secret_valid(*key_out))
        return MICA_OK;
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "the key is not %d to %d bytes of visible ASCII "
                          "without blanks",
                          MICA_FETCH_SECRET_LEAST, MICA_FETCH_SECRET_MOST);
}

enum mica_status
mica_model_key_check(const struct mica_model_provider_options *provider,
                     struct mica_error *error)
{
    char room[MICA_MODEL_KEY_SIZE];
    struct mica_text key;
    enum mica_status status = mica_model_key_read(provider, error, room, &key);

    explicit_bzero(room, sizeof room);
    return status;
}
