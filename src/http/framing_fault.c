// SPDX-License-Identifier: Apache-2.0
//
// The status and the text of the refusal for each fault.
#include "http/framing.h"

static const struct {
    unsigned status;
    const char *textz;
} faults[] = {
    [MICA_FAULT_NONE] = {400, "the request is wrong"},
    [MICA_FAULT_LINE] = {400, "the first line is no request; send METHOD "
                              "/path HTTP/1.1 with one space between them"},
    [MICA_FAULT_VERSION] = {505, "this server speaks HTTP/1.1; send that"},
    [MICA_FAULT_CONNECT] = {400, "this server is no proxy; send requests for "
                                 "itself"},
    [MICA_FAULT_NAME] = {400, "a header field has no proper name: letters, "
                              "digits and hyphens with the colon right behind "
                              "them; a value is one line"},
    [MICA_FAULT_VALUE] = {400, "a header field has a control character in its "
                               "value; leave it out"},
    [MICA_FAULT_LINE_END] = {400, "a line ends in CR or LF alone; end each "
                                  "with CR LF"},
    [MICA_FAULT_HOST] = {400, "send one Host header field, with the name of "
                              "the server and perhaps its port"},
    [MICA_FAULT_LENGTH] = {400, "Content-Length is no number; send decimal "
                                "digits alone"},
    [MICA_FAULT_LENGTHS] = {400, "Content-Length is there twice; send it once"},
    [MICA_FAULT_CODING] = {400, "Transfer-Encoding can be \"chunked\" once, "
                                "and nothing else"},
    [MICA_FAULT_BOTH] = {400, "Content-Length and Transfer-Encoding are both "
                              "there; send one of them"},
    [MICA_FAULT_OLD_CODING] = {400, "HTTP/1.0 has no chunks; send "
                                    "Content-Length, or HTTP/1.1"},
    [MICA_FAULT_CHUNK] = {400, "a chunk has no right size, extension or end"},
    [MICA_FAULT_TRAILER] = {400, "the trailers are too long, or one belongs "
                                 "before the body; leave them out"},
    [MICA_FAULT_HEAD_TOO_LONG] = {431, "the head of the request is longer than "
                                       "this server reads; send fewer or "
                                       "shorter header fields"},
};

unsigned
mica_fault_status(enum mica_fault fault)
{
    return faults[fault].status;
}

const char *
mica_fault_text(enum mica_fault fault)
{
    return faults[fault].textz;
}
