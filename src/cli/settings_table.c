// SPDX-License-Identifier: Apache-2.0
//
// The table of settings.
#include <string.h>

#include "cli/cli_file.h"
#include "cli/project.h"
#include "cli/settings.h"

// A value behind the flag; and a switch.
#define VALUE(name, placeholder, help)             \
    {                                              \
        name, MICA_OPTION_VALUE, placeholder, help \
    }
#define REPEAT(name, placeholder, help)             \
    {                                               \
        name, MICA_OPTION_REPEAT, placeholder, help \
    }
#define TOGGLE(name, help)                   \
    {                                        \
        name, MICA_OPTION_TOGGLE, NULL, help \
    }

#define SETTINGS(X)                                                            \
    X("name", MICA_SETTING_TEXT,                                               \
      VALUE("name", "NAME", "the server's name for programs"), "mica", 0,      \
      mica_check_name)                                                         \
    X("title", MICA_SETTING_TEXT,                                              \
      VALUE("title", "TEXT", "its name for people (default the name)"), NULL,  \
      0, mica_check_title)                                                     \
    X("version", MICA_SETTING_TEXT,                                            \
      VALUE("version", "TEXT", "its version (default that of mica)"),          \
      MICA_VERSION, 0, mica_check_version)                                     \
    X("description", MICA_SETTING_TEXT,                                        \
      VALUE("description", "TEXT", "what it is for, in a sentence"),           \
      "Tools, each written once as a C file.", 0, mica_check_words)            \
    X("instructions", MICA_SETTING_TEXT,                                       \
      VALUE("instructions", "TEXT",                                            \
            "for the model of a client, on how the tools go together"),        \
      MICA_DEFAULT_INSTRUCTIONS, 0, mica_check_instructions)                   \
    X("website", MICA_SETTING_TEXT,                                            \
      VALUE("website", "URL", "where people read more about it"), NULL, 0,     \
      mica_check_website)                                                      \
    X("icons", MICA_SETTING_ICONS,                                             \
      VALUE("icons", "'SRC …'",                                                \
            "its icons: files of this folder, or https:// addresses"),         \
      NULL, 0, NULL)                                                           \
    X("http.listen", MICA_SETTING_TEXT,                                        \
      VALUE("listen", "HOST:PORT",                                             \
            "where to listen; port 0 takes a free one"),                       \
      "127.0.0.1:8080", 0, mica_check_listen)                                  \
    X("http.base_path", MICA_SETTING_TEXT,                                     \
      VALUE("base-path", "PATH", "answer under PATH, too, for a proxy"), NULL, \
      0, mica_check_base_path)                                                 \
    X("http.public_url", MICA_SETTING_TEXT,                                    \
      VALUE("public-url", "URL", "where clients reach it through a proxy"),    \
      NULL, 0, mica_check_public_url)                                          \
    X("http.public", MICA_SETTING_SWITCH,                                      \
      TOGGLE("public",                                                         \
             "admit every caller at an address that others can reach"),        \
      "false", 0, NULL)                                                        \
    X("http.allow_hosts", MICA_SETTING_LIST,                                   \
      REPEAT("allow-host", "NAME", "a name it is reached by"), NULL, 0, NULL)  \
    X("http.allow_origins", MICA_SETTING_LIST,                                 \
      REPEAT("allow-origin", "ORIGIN", "an origin whose pages may call it"),   \
      NULL, 0, NULL)                                                           \
    X("apps.hosts", MICA_SETTING_APP_HOSTS,                                    \
      REPEAT("app-host", "NAME=SLUG", "a host name that is one app's own"),    \
      NULL, 0, mica_check_app_host)                                            \
    X("http.trusted_proxies", MICA_SETTING_LIST,                               \
      REPEAT("trusted-proxy", "CIDR",                                          \
             "a proxy that says which address a request comes from"),          \
      NULL, 0, mica_check_proxy)                                               \
    X("http.pages", MICA_SETTING_REVERSED,                                     \
      TOGGLE("no-pages", "serve no pages for people"), "true", 0, NULL)        \
    X("http.host_page", MICA_SETTING_SWITCH,                                   \
      TOGGLE("host-page", "serve a page that shows views, at /host"), "false", \
      0, NULL)                                                                 \
    X("views.forms", MICA_SETTING_SWITCH,                                      \
      TOGGLE("form-views", "let views show forms (a draft of MCP Apps)"),      \
      "false", 0, NULL)                                                        \
    X("http.rest", MICA_SETTING_REVERSED, TOGGLE("no-rest", "serve no REST"),  \
      "true", 0, NULL)                                                         \
    X("http.sse", MICA_SETTING_SWITCH,                                         \
      TOGGLE("http-sse", "serve clients of revision 2024-11-05, too"),         \
      "false", 0, NULL)                                                        \
    X("http.drain_seconds", MICA_SETTING_NUMBER,                               \
      VALUE("drain", "SECONDS", "how long it answers after SIGTERM"), "5",     \
      3600, NULL)                                                              \
    X("limits.connections", MICA_SETTING_NUMBER,                               \
      VALUE("connections", "N", "connections at once, at most"), "1024",       \
      1000000, NULL)                                                           \
    X("limits.workers", MICA_SETTING_NUMBER,                                   \
      VALUE("workers", "N", "threads for calls that take long"), "4", 1024,    \
      NULL)                                                                    \
    X("limits.io_threads", MICA_SETTING_NUMBER,                                \
      VALUE("io-threads", "N", "threads that read and answer"), "1", 256,      \
      NULL)                                                                    \
    X("sessions.enabled", MICA_SETTING_ON_OFF,                                 \
      VALUE("sessions", "on|off",                                              \
            "keep sessions for clients of older revisions"),                   \
      "true", 0, NULL)                                                         \
    X("sessions.idle_seconds", MICA_SETTING_NUMBER,                            \
      VALUE("session-idle", "SECONDS",                                         \
            "how long one lives without a message"),                           \
      "3600", 30 * 86400, NULL)                                                \
    X("sessions.per_client", MICA_SETTING_NUMBER,                              \
      VALUE("sessions-per-client", "N", "sessions of one client, at most"),    \
      "1000", 1000000, NULL)                                                   \
    X("auth.file", MICA_SETTING_PATH,                                          \
      VALUE("auth", "FILE",                                                    \
            "let in only callers that have an access token of an issuer "      \
            "that FILE names"),                                                \
      NULL, 0, NULL)                                                           \
    X("rules.file", MICA_SETTING_PATH,                                         \
      VALUE("rules", "FILE", "limit, allow, deny, rename and record calls"),   \
      NULL, 0, NULL)                                                           \
    X("rules.limits", MICA_SETTING_JSON,                                       \
      VALUE("rule-limits", "JSON", "how often a tool may be called"), NULL, 0, \
      NULL)                                                                    \
    X("rules.access", MICA_SETTING_JSON,                                       \
      VALUE("rule-access", "JSON", "who may use which tools"), NULL, 0, NULL)  \
    X("rules.names", MICA_SETTING_JSON,                                        \
      VALUE("rule-names", "JSON", "the names of tools that clients see"),      \
      NULL, 0, NULL)                                                           \
    X("rules.audit", MICA_SETTING_JSON,                                        \
      VALUE("rule-audit", "JSON", "the log of calls"), NULL, 0, NULL)          \
    X("rules.cache", MICA_SETTING_JSON,                                        \
      VALUE("rule-cache", "JSON", "the engines whose results are kept"), NULL, \
      0, NULL)                                                                 \
    X("store.location", MICA_SETTING_STORE,                                    \
      VALUE("store", "memory|sqlite[:PATH]",                                   \
            "where sessions and calls are kept (default the project's own)"),  \
      NULL, 0, mica_check_store)                                               \
    X("keep.path", MICA_SETTING_PATH,                                          \
      VALUE("keep", "DIR",                                                     \
            "where tools keep their databases (default beside the store)"),    \
      NULL, 0, NULL)                                                           \
    X("keep.megabytes", MICA_SETTING_NUMBER,                                   \
      VALUE("keep-megabytes", "N", "MiB of each of them, at most"), "256",     \
      65536, NULL)                                                             \
    X("metrics.listen", MICA_SETTING_TEXT,                                     \
      VALUE("metrics", "HOST:PORT", "serve /metrics there, on the loopback"),  \
      NULL, 0, mica_check_metrics)                                             \
    X("log.form", MICA_SETTING_TEXT,                                           \
      VALUE("log", "text|json|off", "how a request is written to stderr"),     \
      NULL, 0, mica_check_log)                                                 \
    X("resources.folders", MICA_SETTING_PATHS,                                 \
      REPEAT("resources", "DIR", "serve the files of DIR as resources"), NULL, \
      0, NULL)

#define AS_SETTING(key, kind, flag, fallback, most, check) \
    {key, kind, flag, fallback, most, check},
#define AS_FLAG(key, kind, flag, fallback, most, check) flag,

const struct mica_setting mica_settings[] = {SETTINGS(AS_SETTING){.key = NULL}};

const struct mica_option mica_settings_flags[] = {
    SETTINGS(AS_FLAG) MICA_JSON_OPTION,
    {"project", MICA_OPTION_VALUE, "DIR",
     "work in DIR, as if mica had been started there"},
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const char *
mica_setting_variable(struct mica_cli *cli, const struct mica_setting *setting)
{
    struct mica_buffer name;

    mica_buffer_init(&name, &cli->arena, 128);
    mica_buffer_text(&name, MICA_LITERAL("MICA_"));
    for (const char *at = setting->key; *at != '\0'; at++)
        mica_buffer_char(&name, *at == '.' ? '_'
                                : *at >= 'a' && *at <= 'z'
                                    ? (char)(*at - 'a' + 'A')
                                    : *at);
    mica_buffer_char(&name, '\0');
    return name.overflow ? "" : name.ptr;
}

const char *
mica_setting_fallback(const struct mica_setting *setting,
                      const struct mica_options *options)
{
    static const char *const words[] = {"description", "instructions"};

    for (size_t i = 0; i < MICA_COUNT(words); i++)
        if (strcmp(setting->key, words[i]) == 0 &&
            (mica_project_is_here(options) ||
             mica_options_value(options, "engines") != NULL ||
             mica_options_value(options, "tools") != NULL))
            return NULL;
    return setting->fallback;
}
