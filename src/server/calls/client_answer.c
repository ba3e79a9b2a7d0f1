// SPDX-License-Identifier: Apache-2.0
//
// Responses of a client to questions of the server, in sessions and on pipes. The id of a
// question is "<call>.<question>". So any process that receives the answer finds the call
// by the id alone.
#include "server/message.h"

#include "base/digits.h"
#include "call/journal.h"

void
mica_message_read_response(struct mica_message *message,
                           const struct mica_json *root)
{
    struct mica_text id = mica_json_get_text(root, "id");
    const struct mica_json *result = mica_json_get(root, "result");
    size_t dot = MICA_CALL_ID_SIZE - 1;
    int64_t number;

    mica_reply_silent(message, 202);
    if (id.len <= dot + 1 || id.ptr[dot] != '.' ||
        !mica_digits_read(mica_text_slice(id, dot + 1, id.len), &number) ||
        number >= MICA_JOURNAL_ENTRIES)
        return; // not the id of a question: ignored
    message->execution.answered.call = mica_text_slice(id, 0, dot);
    message->execution.answered.number = (uint32_t)number;
    message->execution.answered.is_error = result == NULL;
    message->execution.answered.answer =
        result != NULL ? result : mica_json_get(root, "error");
}
