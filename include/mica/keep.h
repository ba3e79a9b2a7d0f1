// SPDX-License-Identifier: Apache-2.0
//
// What a tool keeps from one call to the next: values by their names, and tables that
// it reads and writes in SQL. Both are in a database of the project.
//
//     #include <mica/keep.h>
//
//     struct note { struct mica_text words; };
//     MICA_RECORD(note, MICA_TEXT(words, "What to remember."));
//
//     static enum mica_status
//     remember(struct mica_call *call, const struct note *in,
//              struct mica_nothing *out)
//     {
//         (void)out;
//         return mica_keep_put(call,
//                              &(struct mica_keep){
//                                  .name = MICA_LITERAL("last")},
//                              MICA_FROM(note, in));
//     }
//
//     MICA_TOOL(remember, note, mica_nothing, remember,
//         .description = "…", .keeps = MICA_KEEPS_OWN);
//
// EACH IS A STEP. mica records what it came to, and does not do again what is recorded.
// The database commits the effect together with a mark that has the idempotency key of
// the step and its answer, in one transaction. So a process that dies after the effect
// and before the record does it once: when the step runs again, the mark gives the
// answer. A step that fails has changed nothing.
//
// WHOSE IT IS. A tool says in .keeps that it keeps something: MICA_KEEPS_OWN in a
// database of its own, which is named after the tool in its source, or
// MICA_KEEPS_SHARED("orders") in one that all tools share which say the same. No tool
// reaches another database. `mica describe` shows it.
//
// WHO MAY CHOOSE WHAT. The text of a statement is the author's; what comes from a caller
// is bound: MICA_SQL("… WHERE id = ?1", in->id). Statements may not attach files, load
// extensions, begin transactions, change the tables of mica or, outside of .tables,
// create or drop anything.
//
// In tests (mica/test.h) each mock has databases of its own, which are real.
//
// Threads: each database has one connection in a process, and one lock. A step has both
// until its transaction ends. Several processes may serve one project: a step waits up
// to 5 seconds for another process. docs/keep.md has the rest.
#ifndef MICA_KEEP_H
#define MICA_KEEP_H

#include <mica/tool.h>

#pragma GCC visibility push(default)

// ---- Errors ----------------------------------------------------------------------
//
// Of all functions below. None of them leaves a change behind.
//  MICA_E_KEEP_NONE     KEEP_NOT_FOUND   no entry of that name; no row
//  MICA_E_KEEP_VERSION  KEEP_CONFLICT    the entry has another version
//  MICA_E_KEEP_RULE     KEEP_CONSTRAINT  a constraint of a table does not allow it
//  MICA_E_KEEP_VALUE    KEEP_BAD_VALUE   what is kept does not fit the record
//  MICA_E_KEEP_SIZE     KEEP_TOO_LARGE   a name, value or answer exceeds its limit
//  MICA_E_KEEP_FULL     KEEP_FULL        the database exceeds its limit
//  MICA_E_KEEP_TIME     KEEP_TIMEOUT     the statements ran for more than 5 s
//  MICA_E_KEEP_BUSY     KEEP_BUSY        another process held the database for 5 s
//  MICA_E_KEEP_SQL      KEEP_SQL         a statement is wrong, or may not do that
//  MICA_E_KEEP_TABLES   KEEP_TABLES      .tables do not fit those of the database
//  MICA_E_KEEP          KEEP_FAILED      the database cannot be read or written
//  MICA_E_USAGE         a struct is wrong, or the tool has no .keeps

// ---- Values ----------------------------------------------------------------------

// In `expect`: the entry must not exist.
#define MICA_KEEP_ABSENT (-1)

// An entry. Its version is a number that no other value of the database has had.
struct mica_keep {
    const char *key; // of the step, without ' ', '/', '#'; NULL: "put", …
    struct mica_text name; // of the entry: 1 to 256 bytes of UTF-8
    // Of put and delete: 0, MICA_KEEP_ABSENT, or the version that the entry must have.
    int64_t expect;
    // Where its version goes; 0: no entry. NULL: an entry that does not exist is
    // KEEP_NOT_FOUND for get.
    int64_t *version_out;
};

// Writes a struct of at most 256 KiB of JSON in place of what is there.
enum mica_status mica_keep_put(struct mica_call *call,
                               const struct mica_keep *entry,
                               struct mica_from value) MICA_MUST_USE;

// The same for 1 to 31622400 seconds (366 days), from the step on; 0 is mica_keep_put. Then
// the entry expires: no function finds or lists it, and mica removes it bit by bit. An
// entry that is put again has the time of the last put.
enum mica_status mica_keep_put_for(struct mica_call *call,
                                   const struct mica_keep *entry,
                                   struct mica_from value, uint32_t seconds)
    MICA_MUST_USE;

// Reads a struct; zero if it does not exist. Names that its record does not have are left
// out, and fields that were not kept take their fallback.
enum mica_status mica_keep_get(struct mica_call *call,
                               const struct mica_keep *entry,
                               struct mica_into value) MICA_MUST_USE;

// Removes an entry, if there is one. `version_out` is the one that was removed.
enum mica_status mica_keep_delete(struct mica_call *call,
                                  const struct mica_keep *entry) MICA_MUST_USE;

// A page of the entries whose names begin with `prefix`, in the order of their bytes.
struct mica_keep_page {
    const char *key;         // of the step; NULL: "list"
    struct mica_text prefix; // empty: all
    struct mica_text
        after;      // the last name of the page before; empty: the first page
    unsigned limit; // entries; 0: 100; at most 1000
};

// Reads a page into a struct with the list `entries`, whose items have what they want
// of `name`, `version` and `value`; and, if it has it, the boolean `more`. A page ends
// before 256 KiB.
//
//     struct item { struct mica_text name; struct note value; };
//     struct items { struct { size_t count; const struct item *items; } entries;
//                    bool more; };
enum mica_status mica_keep_list(struct mica_call *call,
                                const struct mica_keep_page *page,
                                struct mica_into page_out) MICA_MUST_USE;

// ---- SQL -------------------------------------------------------------------------

// A value that is bound to a parameter.
enum mica_sql_kind {
    MICA_SQL_NULL,
    MICA_SQL_TEXT,
    MICA_SQL_INTEGER, // booleans, too: 0 and 1
    MICA_SQL_NUMBER,
    MICA_SQL_BYTES
};
struct mica_sql_value {
    enum mica_sql_kind kind;
    struct mica_text text; // TEXT, BYTES
    int64_t integer;
    double number;
};

// A statement of SQLite, with values for ?1, ?2, …
struct mica_sql_statement {
    const char *text;
    const struct mica_sql_value *values;
    size_t count;
};

struct mica_sql {
    const char *key; // of the step; NULL: "sql"
    // MICA_RUN(MICA_SQL("…", …), …): at most 32, in one transaction.
    const struct mica_sql_statement *run;
    size_t *rows_out;     // NULL, or how many rows were read
    int64_t *changes_out; // NULL, or how many rows were changed
};

// Runs statements, and reads the rows of the last one that has any, by the names of
// their columns. Into a struct with the list `rows`: all rows, at most 1000 and 256 KiB.
// Into any other struct: the first row; without a row this is KEEP_NOT_FOUND, or, with
// rows_out, a struct of zeros. `into` without a record reads nothing.
//
// A column fits a field as JSON does; also the integers 0 and 1 a boolean, and text with
// JSON a list or struct. Bytes are base64.
//
//     MICA_TRY(mica_sql(call, &(struct mica_sql){
//         .key = "book",
//         .run = MICA_RUN(
//             MICA_SQL("UPDATE seats SET taken = 1 WHERE id = ?1", in->seat),
//             MICA_SQL("INSERT INTO bookings (seat, guest) VALUES (?1, ?2)"
//                      " RETURNING number", in->seat, in->guest))},
//         MICA_INTO(booking, &booking)));
enum mica_status mica_sql(struct mica_call *call, const struct mica_sql *sql,
                          struct mica_into into) MICA_MUST_USE;

// Statements, and one of them with at most 47 values: struct mica_text, texts of C,
// booleans, integers, numbers, and mica_sql_null(), mica_sql_bytes(…).
#define MICA_RUN(...) \
    ((const struct mica_sql_statement[]){__VA_ARGS__, {NULL, NULL, 0}})
#define MICA_SQL(...)                                                \
    {                                                                \
        MICA_SQL_TEXT_(__VA_ARGS__, 0), MICA_SQL_LIST_(__VA_ARGS__), \
            MICA_ARGS_(__VA_ARGS__) - 1                              \
    }
#define MICA_SQL_TEXT_(text_, ...) text_
#define MICA_SQL_LIST_(...)                                  \
    (const struct mica_sql_value[]){                         \
        MICA_EACH_(MICA_SQL_VALUE_, unused_, __VA_ARGS__)} + \
        1 // behind the text
#define MICA_SQL_VALUE_(unused_, value_) \
    _Generic((value_), struct mica_text                                    \
             : mica_sql_text, struct mica_sql_value                        \
             : mica_sql_same, char *                                       \
             : mica_sql_words, const char *                                \
             : mica_sql_words, float                                       \
             : mica_sql_number, double                                     \
             : mica_sql_number, default                                    \
             : mica_sql_integer)(value_),

static inline struct mica_sql_value
mica_sql_null(void)
{
    return (struct mica_sql_value){.kind = MICA_SQL_NULL};
}

static inline struct mica_sql_value
mica_sql_text(struct mica_text text)
{
    return (struct mica_sql_value){.kind = MICA_SQL_TEXT, .text = text};
}

static inline struct mica_sql_value
mica_sql_bytes(struct mica_text bytes)
{
    return (struct mica_sql_value){.kind = MICA_SQL_BYTES, .text = bytes};
}

static inline struct mica_sql_value
mica_sql_integer(int64_t integer)
{
    return (struct mica_sql_value){.kind = MICA_SQL_INTEGER,
                                   .integer = integer};
}

static inline struct mica_sql_value
mica_sql_number(double number)
{
    return (struct mica_sql_value){.kind = MICA_SQL_NUMBER, .number = number};
}

// NULL is bound as NULL.
static inline struct mica_sql_value
mica_sql_words(const char *textz)
{
    return textz != NULL ? mica_sql_text(mica_text(textz)) : mica_sql_null();
}

static inline struct mica_sql_value
mica_sql_same(struct mica_sql_value value)
{
    return value;
}

// ---- Declaring -------------------------------------------------------------------

// What a tool says in .keeps. The name of a shared database is 1 to 64 of a-z 0-9 _ -.
#define MICA_KEEPS_OWN           ""
#define MICA_KEEPS_SHARED(name_) ("" name_)

// The statements that make the tables, each once, in their order:
// .tables = MICA_TABLES("CREATE TABLE …", "ALTER TABLE … ADD …"). At most 64. A later
// version of the tool adds statements at the end and changes none: a tool does not use a
// database that lacks one of them. It uses a database with more of them, as calls do that
// began before an update, if these only create tables, indexes or views, or add columns.
#define MICA_TABLES(...) ((const char *const[]){__VA_ARGS__, NULL})

// The same functions, for the kinds of calls that may use them.
#ifndef MICA_TOOL_PLAIN
#    define mica_keep_put(call_, ...) \
        (mica_keep_put)(MICA_SERVER_CALL_(call_), __VA_ARGS__)
#    define mica_keep_put_for(call_, ...) \
        (mica_keep_put_for)(MICA_SERVER_CALL_(call_), __VA_ARGS__)
#    define mica_keep_get(call_, ...) \
        (mica_keep_get)(MICA_SERVER_CALL_(call_), __VA_ARGS__)
#    define mica_keep_delete(call_, ...) \
        (mica_keep_delete)(MICA_SERVER_CALL_(call_), __VA_ARGS__)
#    define mica_keep_list(call_, ...) \
        (mica_keep_list)(MICA_SERVER_CALL_(call_), __VA_ARGS__)
#    define mica_sql(call_, ...) \
        (mica_sql)(MICA_SERVER_CALL_(call_), __VA_ARGS__)
#endif

#pragma GCC visibility pop

#endif
