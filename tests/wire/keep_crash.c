// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into a server: while the file of KEEP_CRASH is there, the process kills
// itself at a commit of a tool's database, and removes the file before. If the file
// says "before", it does so before the commit, and else right behind it, when the effect
// stays and the journal of the call does not know of it.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct sqlite3 sqlite3;
typedef int exec_function(sqlite3 *, const char *,
                          int (*)(void *, int, char **, char **), void *,
                          char **);
typedef const char *name_function(sqlite3 *, const char *);

// What the file says; 0: there is no file. It is removed.
static char
crash_take(void)
{
    const char *path = getenv("KEEP_CRASH");
    int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    char first = 0;

    if (file < 0)
        return 0;
    if (read(file, &first, 1) < 1)
        first = 'a';
    (void)close(file);
    (void)unlink(path);
    return first;
}

static int
is_of_tool(sqlite3 *database)
{
    void *found = dlsym(RTLD_NEXT, "sqlite3_db_filename");
    const char *path = (*(name_function **)&found)(database, "main");

    return path != NULL && strstr(path, "/tool.") != NULL;
}

exec_function sqlite3_exec;

__attribute__((visibility("default"))) int
sqlite3_exec(sqlite3 *database, const char *sql,
             int (*row)(void *, int, char **, char **), void *data,
             char **error)
{
    void *found = dlsym(RTLD_NEXT, "sqlite3_exec");
    exec_function *next = *(exec_function **)&found;
    char when =
        strcmp(sql, "COMMIT") == 0 && is_of_tool(database) ? crash_take() : 0;
    int code;

    if (when == 'b')
        (void)raise(SIGKILL);
    code = next(database, sql, row, data, error);
    if (when != 0)
        (void)raise(SIGKILL);
    return code;
}
