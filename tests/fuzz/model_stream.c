// SPDX-License-Identifier: Apache-2.0
//
// What a provider of models sends, in both formats: the first byte says which, and whether
// it is a stream, a whole body or an error. A stream gives the same answer however it is
// cut; words are UTF-8, and the type of an error is a word in small letters.
#include "model/model_events.h"
#include "model/model_wire.h"

#include <string.h>

#include "target.h"

struct decoding {
    enum mica_model_type type;
    struct mica_arena *arena;
    struct mica_model_reading reading;
};

static void
take(void *user, struct mica_text name, struct mica_text data)
{
    struct decoding *decoding = user;

    mica_model_read_event(decoding->type, &decoding->reading, name, data,
                          decoding->arena);
}

// Feeds a stream in pieces of that size.
static bool
decode(struct decoding *decoding, struct mica_text stream, size_t step)
{
    const struct mica_model_event_taker taker = {take, decoding};
    struct mica_model_events events;
    bool fits = true;

    mica_model_events_init(&events);
    mica_model_reading_init(&decoding->reading);
    for (size_t at = 0; fits && at < stream.len; at += step)
        fits = mica_model_events_feed(
            &events, mica_text_slice(stream, at, at + step), &taker);
    mica_model_events_fini(&events);
    return fits;
}

static void
check(const struct mica_model_reading *reading)
{
    struct mica_text text = mica_buffer_as_text(&reading->text);

    FUZZ_MUST(mica_utf8_valid(text) == text.len);
    FUZZ_MUST(reading->model.len <= MICA_MODEL_MODEL_BYTES);
    FUZZ_MUST(strspn(reading->fault, "abcdefghijklmnopqrstuvwxyz_") ==
              strlen(reading->fault));
}

static void
check_same(const struct mica_model_reading *a,
           const struct mica_model_reading *b)
{
    FUZZ_MUST(mica_text_equal(mica_buffer_as_text(&a->text),
                              mica_buffer_as_text(&b->text)));
    FUZZ_MUST(a->extent == b->extent && a->trouble == b->trouble &&
              a->cut == b->cut);
    FUZZ_MUST(a->prompt_tokens == b->prompt_tokens &&
              a->completion_tokens == b->completion_tokens);
    FUZZ_MUST(strcmp(a->fault, b->fault) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text all = {(const char *)bytes + (size > 0),
                            size - (size > 0)};
    unsigned mode = size > 0 ? bytes[0] : 0;
    struct mica_arena arena;
    struct decoding one = {.type = mode & 1 ? MICA_MODEL_ANTHROPIC
                                            : MICA_MODEL_OPENAI,
                           .arena = &arena};
    struct decoding other = one;

    mica_arena_init(&arena, MICA_MODEL_EVENT_ARENA);
    if ((mode & 6) == 0) {
        FUZZ_MUST(decode(&one, all, size) == decode(&other, all, 1));
        check_same(&one.reading, &other.reading);
        mica_model_reading_fini(&other.reading);
    } else {
        mica_model_reading_init(&one.reading);
        if ((mode & 6) == 2)
            mica_model_read_body(one.type, &one.reading, all, &arena);
        else
            mica_model_read_fault(&one.reading, all, &arena);
    }
    check(&one.reading);
    (void)mica_model_unfenced(mica_buffer_as_text(&one.reading.text));
    mica_model_reading_fini(&one.reading);
    mica_arena_fini(&arena);
    return 0;
}
