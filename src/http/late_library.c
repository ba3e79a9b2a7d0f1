// SPDX-License-Identifier: Apache-2.0
//
// Loads libmicrohttpd in the program `mica` when a server opens its first port. The
// library loads GnuTLS and eight more libraries, which took half of the start time of
// `mica stdio` and `mica call`. This file defines the functions that src/http calls, so
// that the program is linked without the library. Programs that embed mica are linked
// with the library itself.
//
// Threads: mica_guard_install runs first and loads the library; later the table is only
// read.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <microhttpd.h>

// meson defines it; this is for lint programs.
#ifndef MICA_MICROHTTPD
#    define MICA_MICROHTTPD "libmicrohttpd.so.12"
#endif

// The functions of the library that src/http calls.
#define FUNCTIONS(X)                 \
    X(add_connection)                \
    X(add_response_header)           \
    X(create_response_from_buffer)   \
    X(create_response_from_callback) \
    X(destroy_response)              \
    X(get_connection_info)           \
    X(get_connection_values_n)       \
    X(get_version)                   \
    X(http_unescape)                 \
    X(lookup_connection_value)       \
    X(queue_response)                \
    X(quiesce_daemon)                \
    X(resume_connection)             \
    X(start_daemon_va)               \
    X(stop_daemon)                   \
    X(suspend_connection)

#define DECLARE(name) __typeof__(MHD_##name) *name;
static struct {
    FUNCTIONS(DECLARE)
    bool loaded;
} library;

static bool
symbol_find(void *handle, const char *namez, void *function_out)
{
    void *found = dlsym(handle, namez);

    memcpy(function_out, &found, sizeof found); // POSIX: of one size
    return found != NULL;
}

static void
late_library_load(void)
{
    void *handle = dlopen(MICA_MICROHTTPD, RTLD_NOW | RTLD_LOCAL);

    library.loaded = handle != NULL;
#define FIND(name)   \
    library.loaded = \
        library.loaded && symbol_find(handle, "MHD_" #name, &library.name);
    FUNCTIONS(FIND)
    if (!library.loaded)
        (void)fprintf(stderr,
                      "mica: the HTTP library does not load: %s. Install it: "
                      "apt install libmicrohttpd12\n",
                      dlerror());
}

static bool
is_loaded(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, late_library_load);
    if (!library.loaded)
        errno = ELIBACC;
    return library.loaded;
}

const char *
MHD_get_version(void)
{
    return is_loaded() ? library.get_version() : "none";
}

struct MHD_Daemon *
MHD_start_daemon(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accept,
                 void *accept_data, MHD_AccessHandlerCallback access,
                 void *access_data, ...)
{
    struct MHD_Daemon *daemon = NULL;
    va_list options;

    va_start(options, access_data);
    if (is_loaded())
        daemon = library.start_daemon_va(flags, port, accept, accept_data,
                                         access, access_data, options);
    va_end(options);
    return daemon;
}

// ---- Functions of a running daemon -----------------------------------------------

MHD_socket
MHD_quiesce_daemon(struct MHD_Daemon *daemon)
{
    return library.quiesce_daemon(daemon);
}

enum MHD_Result
MHD_add_connection(struct MHD_Daemon *daemon, MHD_socket socket,
                   const struct sockaddr *address, socklen_t length)
{
    return library.add_connection(daemon, socket, address, length);
}

void
MHD_stop_daemon(struct MHD_Daemon *daemon)
{
    library.stop_daemon(daemon);
}

void
MHD_suspend_connection(struct MHD_Connection *connection)
{
    library.suspend_connection(connection);
}

void
MHD_resume_connection(struct MHD_Connection *connection)
{
    library.resume_connection(connection);
}

const union MHD_ConnectionInfo *
MHD_get_connection_info(struct MHD_Connection *connection,
                        enum MHD_ConnectionInfoType what, ...)
{
    return library.get_connection_info(connection, what);
}

int
MHD_get_connection_values_n(struct MHD_Connection *connection,
                            enum MHD_ValueKind kind,
                            MHD_KeyValueIteratorN iterator, void *data)
{
    return library.get_connection_values_n(connection, kind, iterator, data);
}

const char *
MHD_lookup_connection_value(struct MHD_Connection *connection,
                            enum MHD_ValueKind kind, const char *key)
{
    return library.lookup_connection_value(connection, kind, key);
}

size_t
MHD_http_unescape(char *text)
{
    return library.http_unescape(text);
}

struct MHD_Response *
MHD_create_response_from_buffer(size_t size, void *bytes,
                                enum MHD_ResponseMemoryMode mode)
{
    return library.create_response_from_buffer(size, bytes, mode);
}

struct MHD_Response *
MHD_create_response_from_callback(uint64_t size, size_t block,
                                  MHD_ContentReaderCallback reader, void *data,
                                  MHD_ContentReaderFreeCallback free_data)
{
    return library.create_response_from_callback(size, block, reader, data,
                                                 free_data);
}

enum MHD_Result
MHD_add_response_header(struct MHD_Response *response, const char *name,
                        const char *content)
{
    return library.add_response_header(response, name, content);
}

enum MHD_Result
MHD_queue_response(struct MHD_Connection *connection, unsigned status,
                   struct MHD_Response *response)
{
    return library.queue_response(connection, status, response);
}

void
MHD_destroy_response(struct MHD_Response *response)
{
    library.destroy_response(response);
}
