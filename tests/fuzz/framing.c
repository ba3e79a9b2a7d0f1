// SPDX-License-Identifier: Apache-2.0
//
// Where requests end: the same bytes in any pieces end at the same places and are
// refused for the same fault, and what counts as right is right for a second look.
#include <stdlib.h>
#include <string.h>

#include "http/framing.h"

#include "target.h"

enum {
    MOST = 2048
};

// Reads on in pieces of `step` bytes; how many bytes are right.
static size_t
read_pieces(struct mica_framing *framing, const char *bytes, size_t size,
            size_t step)
{
    size_t at = 0;

    mica_framing_init(framing, MOST);
    while (at < size) {
        size_t piece = size - at < step ? size - at : step;
        char *copy = malloc(piece); // so that a sanitizer sees its end
        memcpy(copy, bytes + at, piece);
        size_t right = mica_framing_read(framing, copy, piece);
        free(copy);
        FUZZ_MUST(right <= piece);
        at += right;
        if (right < piece)
            break;
    }
    return at;
}

// Which of two faults of a run is found first depends on its pieces.
static bool
is_long(const struct mica_framing *framing)
{
    return framing->fault == MICA_FAULT_HEAD_TOO_LONG ||
           framing->fault == MICA_FAULT_TRAILER;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data + (size > 0);
    size_t step = size > 0 ? 1 + data[0] % 32u : 1;
    struct mica_framing whole, pieces, again;

    size -= size > 0;
    size_t right = read_pieces(&whole, bytes, size, size + 1);
    FUZZ_MUST(read_pieces(&pieces, bytes, size, step) >= right);
    FUZZ_MUST(pieces.fault == whole.fault || is_long(&pieces) ||
              is_long(&whole));
    FUZZ_MUST((pieces.fault == 0) == (whole.fault == 0));
    FUZZ_MUST(pieces.last == whole.last);
    FUZZ_MUST(whole.fault != 0 || pieces.speaks_mcp == whole.speaks_mcp);
    FUZZ_MUST(pieces.ended == whole.ended && pieces.heads == whole.heads);
    FUZZ_MUST(right == size || whole.fault != MICA_FAULT_NONE || whole.last);
    FUZZ_MUST(whole.ended <= whole.heads && whole.heads <= whole.ended + 1);
    FUZZ_MUST(mica_fault_text((enum mica_fault)whole.fault) != NULL);
    // What was right stays right by itself.
    FUZZ_MUST(read_pieces(&again, bytes, right, right + 1) == right);
    FUZZ_MUST(again.fault == MICA_FAULT_NONE && again.ended == whole.ended);
    return 0;
}
