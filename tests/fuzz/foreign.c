// SPDX-License-Identifier: Apache-2.0
//
// The answer of another server. What the strict reader takes, the one for foreign
// answers takes, too; what that takes is written back as JSON that both take.
#include <string.h>

#include <mica/engine.h>

#include "schema/record.h"
#include "target.h"

enum {
    MEMORY_BYTES = 32 << 20
};

struct leaf {
    double n;
    struct mica_text text;
};
MICA_RECORD(leaf, MICA_NUMBER(n, "A number.", .fallback = MICA_JSON(1)),
            MICA_TEXT(text, "A text.", .fallback = MICA_JSON("")));
struct answer {
    struct leaf one;
    struct {
        size_t count;
        const struct leaf *items;
    } many;
    struct {
        size_t count;
        const struct mica_text *keys;
        const struct leaf *items;
    } named;
};
MICA_RECORD(answer, MICA_NESTED(one, leaf, "One."),
            MICA_LIST(many, leaf, "Many.", .fallback = MICA_JSON([])),
            MICA_MAP(named, leaf, "By name.", .fallback = MICA_JSON({})));

static enum mica_status
read_back(struct mica_arena *arena, struct mica_text text)
{
    struct mica_json value;
    struct answer *answer = mica_arena_zero(arena, 1, sizeof *answer);

    FUZZ_MUST(answer != NULL);
    FUZZ_MUST(mica_json_read(arena, text, NULL, NULL, &value) == MICA_OK);
    return mica_record_decode(&mica_record_answer, &value, arena, NULL, answer);
}

static void
check_written(struct mica_arena *arena, const struct answer *answer)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, arena, MEMORY_BYTES);
    mica_json_writer_init(&writer, &buffer);
    if (mica_record_encode(&mica_record_answer, answer, arena, NULL, &writer) ==
        MICA_OK)
        FUZZ_MUST(read_back(arena, mica_buffer_as_text(&buffer)) == MICA_OK);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct mica_text text = {(const char *)bytes, size};
    struct mica_error error = {.status = MICA_OK};
    struct answer strict, foreign;
    struct mica_arena arena;
    struct mica_json value;

    mica_arena_init(&arena, MEMORY_BYTES);
    memset(&strict, 0, sizeof strict);
    memset(&foreign, 0, sizeof foreign);
    if (mica_json_read(&arena, text, NULL, NULL, &value) == MICA_OK) {
        bool takes = mica_record_decode(&mica_record_answer, &value, &arena,
                                        NULL, &strict) == MICA_OK;
        enum mica_status status = mica_record_decode_foreign(
            &mica_record_answer, &value, &arena, &error, &foreign);
        FUZZ_MUST(!takes || status == MICA_OK || arena.overflow);
        FUZZ_MUST(status == MICA_OK || error.message[0] != '\0');
        FUZZ_MUST(status != MICA_E_UNKNOWN);
        if (status == MICA_OK && !arena.overflow)
            check_written(&arena, &foreign);
    }
    mica_arena_fini(&arena);
    return 0;
}
