// SPDX-License-Identifier: Apache-2.0
//
// What a setting takes, wherever it is given. The parts that use an address or a path
// check it again; here it is refused where it stands.
#include <string.h>

#include "build/files.h"
#include "cli/settings.h"
#include "http/address.h"
#include "http/party.h"
#include "protocol/base_path.h"

enum {
    NAME_BYTES = 128,
    TITLE_BYTES = 500,
    VERSION_BYTES = 64,
    WORDS_BYTES = 4000,
    INSTRUCTIONS_BYTES = 16 << 10,
    URL_BYTES = 2048
};

// Fails unless it has 1 to `most` bytes of UTF-8 without control characters, but
// with ends of lines if `lines`.
static enum mica_status
check_text(const char *value, size_t most, bool lines, struct mica_error *error)
{
    struct mica_text text = mica_text(value);

    if (text.len == 0 || text.len > most)
        return mica_error_set(error, MICA_E_RANGE, "",
                              "it takes 1 to %zu bytes, not %zu", most,
                              text.len);
    if (mica_utf8_valid(text) != text.len)
        return mica_error_set(error, MICA_E_FORMAT, "", "it is not UTF-8");
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if ((byte < 0x20 && !(lines && (byte == '\n' || byte == '\t'))) ||
            byte == 0x7F)
            return mica_error_set(error, MICA_E_FORMAT, "",
                                  "it holds no control character%s",
                                  lines ? "" : ", and is one line");
    }
    return MICA_OK;
}

enum mica_status
mica_check_name(const char *value, struct mica_error *error)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/";
    size_t length = strlen(value);

    if (length >= 1 && length <= NAME_BYTES && strspn(value, allowed) == length)
        return MICA_OK;
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "\"%s\" cannot be the name of a server: use 1 to %d "
                          "of A-Z, a-z, 0-9, \"_\", \".\", \"-\" and \"/\"; "
                          "what people read is the title",
                          value, NAME_BYTES);
}

enum mica_status
mica_check_title(const char *value, struct mica_error *error)
{
    return check_text(value, TITLE_BYTES, false, error);
}

enum mica_status
mica_check_version(const char *value, struct mica_error *error)
{
    return check_text(value, VERSION_BYTES, false, error);
}

enum mica_status
mica_check_words(const char *value, struct mica_error *error)
{
    return check_text(value, WORDS_BYTES, false, error);
}

enum mica_status
mica_check_instructions(const char *value, struct mica_error *error)
{
    return check_text(value, INSTRUCTIONS_BYTES, true, error);
}

enum mica_status
mica_check_website(const char *value, struct mica_error *error)
{
    MICA_TRY(check_text(value, URL_BYTES, false, error));
    if ((strncmp(value, "https://", 8) == 0 ||
         strncmp(value, "http://", 7) == 0) &&
        strpbrk(value, " \"<>\\^`{|}") == NULL)
        return MICA_OK;
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "\"%s\" is no address of a website, like "
                          "https://example.org/weather",
                          value);
}

enum mica_status
mica_check_listen(const char *value, struct mica_error *error)
{
    struct mica_address address;

    return mica_address_read(value, error, &address);
}

enum mica_status
mica_check_metrics(const char *value, struct mica_error *error)
{
    struct mica_address address;

    MICA_TRY(mica_address_read(value, error, &address));
    return address.loopback
               ? MICA_OK
               : mica_error_set(error, MICA_E_USAGE, "",
                                "metrics are served on the loopback only, and "
                                "%s is not; use 127.0.0.1",
                                value);
}

enum mica_status
mica_check_base_path(const char *value, struct mica_error *error)
{
    struct mica_base_path base;

    return mica_base_path_read(value, NULL, error, &base);
}

enum mica_status
mica_check_public_url(const char *value, struct mica_error *error)
{
    struct mica_base_path base;

    return mica_base_path_read(NULL, value, error, &base);
}

enum mica_status
mica_check_proxy(const char *value, struct mica_error *error)
{
    struct mica_network network;

    return mica_network_read(value, error, &network);
}

enum mica_status
mica_check_store(const char *value, struct mica_error *error)
{
    if (strcmp(value, "memory") == 0 || strcmp(value, "sqlite") == 0 ||
        (strncmp(value, "sqlite:", 7) == 0 && value[7] != '\0'))
        return MICA_OK;
    return mica_error_set(error, MICA_E_CHOICE, "",
                          "\"%s\" is no store; use memory, sqlite or "
                          "sqlite:PATH",
                          value);
}

enum mica_status
mica_check_log(const char *value, struct mica_error *error)
{
    if (strcmp(value, "text") == 0 || strcmp(value, "json") == 0 ||
        strcmp(value, "off") == 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_CHOICE, "",
                          "\"%s\" is no form of the log; use text, json or off",
                          value);
}

// A segment ".." of the path.
static bool
goes_up(const char *path)
{
    for (const char *at = path; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
            return true;
    }
    return false;
}

// A folder that was cloned may have brought the file: it does not reach out.
enum mica_status
mica_check_inside(const char *path, struct mica_error *error)
{
    if (path[0] == '\0')
        return mica_error_set(error, MICA_E_FORMAT, "", "the path is empty");
    if (path[0] == '/' || goes_up(path))
        return mica_error_set(error, MICA_E_TRUST, "",
                              "%s lies outside of this folder, and the file "
                              "names only what is inside; give it by the flag "
                              "or the variable",
                              path);
    return mica_path_inside(path, error);
}
