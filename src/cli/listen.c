// SPDX-License-Identifier: Apache-2.0
//
// Lines that a person types while a call waits. Read as they come, one at a time,
// so that the end of one question's input is not the end of the next one's.
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "cli/converse.h"
#include "serve/stop.h"

enum {
    LINE_BYTES = 64 << 10
};

// A line without its end; false at the end of input.
static bool
read_line(struct mica_conversation *conversation, struct mica_buffer *line,
          bool *stop_out)
{
    struct pollfd ready[] = {{.fd = conversation->stop, .events = POLLIN},
                             {.fd = STDIN_FILENO, .events = POLLIN}};
    char byte;

    for (;;) {
        ssize_t got;
        if (poll(ready, MICA_COUNT(ready), -1) < 0 && errno != EINTR)
            return false;
        *stop_out = mica_stop_count() > 0;
        if (*stop_out)
            return false;
        if ((ready[1].revents & (POLLIN | POLLHUP)) == 0)
            continue;
        got = read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return line->len > 0;
        if (byte == '\n')
            return true;
        mica_buffer_char(line, byte);
    }
}

enum mica_heard
mica_conversation_listen(struct mica_conversation *conversation,
                         const char *promptz, struct mica_text *line_out)
{
    struct mica_buffer line;
    struct mica_text text;
    bool stop = false;

    mica_buffer_init(&line, &conversation->cli->arena, LINE_BYTES);
    mica_cli_note(conversation->cli, "%s", promptz);
    if (!read_line(conversation, &line, &stop)) {
        mica_cli_note(conversation->cli, "\n");
        return stop ? MICA_HEARD_STOP : MICA_HEARD_CANCEL;
    }
    text = mica_buffer_as_text(&line);
    text = mica_text_slice(text, 0, mica_utf8_valid(text));
    if (text.len > 0 && text.ptr[text.len - 1] == '\r')
        text.len--;
    if (mica_text_is(text, "/decline"))
        return MICA_HEARD_DECLINE;
    if (mica_text_is(text, "/cancel"))
        return MICA_HEARD_CANCEL;
    if (mica_text_starts(text, "//"))
        text = mica_text_slice(text, 1, text.len);
    *line_out = text;
    return MICA_HEARD_LINE;
}
