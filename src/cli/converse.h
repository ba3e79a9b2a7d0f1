// SPDX-License-Identifier: Apache-2.0
//
// The client of a call that was made in a shell. What its tool asks is answered
// by the person at the terminal, by a command, or out of a file.
//
// Lines of a person, whatever is asked: empty takes the default, "/decline" says
// no, "/cancel" or the end of input (Ctrl-D) closes the question, and Ctrl-C
// cancels the call. A text that begins with '/' is typed with two.
#ifndef MICA_CLI_CONVERSE_H
#define MICA_CLI_CONVERSE_H

#include "call/turn.h"
#include "cli/cli.h"

// Answers out of a file.
struct mica_answers {
    const char *path;      // NULL: no file
    struct mica_json json; // array, or object by the keys of the questions
    bool *taken;           // of each
};

struct mica_conversation {
    struct mica_cli *cli;
    bool person;                  // a person sits at stdin and stderr
    int stop;                     // readable when the call is to be cancelled
    const char *sampling_command; // a command, or NULL
    struct mica_text roots;       // JSON of ListRootsResult, or empty
    struct mica_answers answers;
    // The last form that a person filled in: its key without a number, its schema and the
    // content. If its tool asks it again, for it found a fault, what was right is kept.
    struct mica_text key, form, filled;
};

// For the options table of a command that calls a tool.
#define MICA_CONVERSE_OPTIONS                                              \
    {"answers", MICA_OPTION_VALUE, "FILE",                                 \
     "answer all that the tool asks out of a JSON file: an array in the "  \
     "order of the questions, or an object by their keys. An answer that " \
     "is missing, does not fit or is not asked for is ANSWERS_MISFIT"},    \
        {"sampler", MICA_OPTION_VALUE, "'CMD'",                            \
         "a command that speaks for the model: it reads the params of "    \
         "sampling/createMessage as JSON and prints words"},               \
    {                                                                      \
        "root", MICA_OPTION_REPEAT, "PATH",                                \
            "a folder to name when the "                                   \
            "tool asks for roots"                                          \
    }

// Takes signals until it is closed. Errors: MICA_E_USAGE, MICA_E_IO, MICA_E_JSON
// (the file of answers).
enum mica_status
mica_conversation_open(struct mica_cli *cli, const struct mica_options *options,
                       struct mica_error *error,
                       struct mica_conversation *conversation_out)
    MICA_MUST_USE;

// After a call that has ended well: was all of the file asked for? Errors: MICA_FAILED
// (ANSWERS_MISFIT).
enum mica_status mica_conversation_end(struct mica_conversation *conversation,
                                       struct mica_error *error) MICA_MUST_USE;

void mica_conversation_close(struct mica_conversation *conversation);

// What can be asked here: enum mica_client_capability.
unsigned mica_conversation_client(const struct mica_conversation *conversation);

// Answers what a suspended turn asks and has no answer yet, in its journal. Sets turn->ending when the
// call is to be cancelled. Errors: MICA_FAILED (ANSWERS_MISFIT), MICA_E_USAGE
// (a question has no answer), MICA_E_LIMIT.
enum mica_status
mica_conversation_answer(struct mica_conversation *conversation,
                         struct mica_turn *turn, struct mica_error *error)
    MICA_MUST_USE;

// Takes notices of the call; `data` is the conversation.
void mica_conversation_notice(void *data, const struct mica_notice *notice);

// ---- Between its parts -----------------------------------------------------------

// What a question comes to: a result, or with MICA_E_CLIENT an error, as JSON;
// with MICA_E_CANCELLED the end of the call.
struct mica_answer {
    enum mica_status status;
    struct mica_text data;
};

enum mica_heard {
    MICA_HEARD_LINE,
    MICA_HEARD_DECLINE,
    MICA_HEARD_CANCEL,
    MICA_HEARD_STOP // the call is to be cancelled
};

// Answers (person.c): what a person did with a form or page, words of a model, an
// error.
void mica_answer_action(struct mica_conversation *conversation,
                        enum mica_heard heard, struct mica_text content,
                        struct mica_answer *answer);
void mica_answer_words(struct mica_conversation *conversation,
                       struct mica_text words, const char *model,
                       struct mica_answer *answer);
void mica_answer_error(struct mica_conversation *conversation,
                       const char *messagez, struct mica_answer *answer);

// The file (answers_file.c).
enum mica_status mica_answers_open(struct mica_conversation *conversation,
                                   const char *path, struct mica_error *error)
    MICA_MUST_USE;
enum mica_status mica_answers_take(struct mica_conversation *conversation,
                                   const struct mica_asked *asked,
                                   struct mica_error *error,
                                   struct mica_answer *answer) MICA_MUST_USE;
enum mica_status mica_answers_end(struct mica_conversation *conversation,
                                  struct mica_error *error) MICA_MUST_USE;

// Asks the person (person.c).
void mica_conversation_ask(struct mica_conversation *conversation,
                           const struct mica_asked *asked,
                           struct mica_answer *answer);

// The next line of the person, behind a prompt (listen.c). In the arena.
enum mica_heard mica_conversation_listen(struct mica_conversation *conversation,
                                         const char *promptz,
                                         struct mica_text *line_out);

// Has the form of that key filled in (interview.c): its content as JSON, in the arena.
enum mica_heard mica_conversation_interview(
    struct mica_conversation *conversation, struct mica_text key,
    const struct mica_json *params, struct mica_text *content_out);

#endif
