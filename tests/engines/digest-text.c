// SPDX-License-Identifier: Apache-2.0
//
// A well-behaved engine whose answer depends on every byte of its input and on
// memory of several sizes, so that a test sees when calls disturb each other.
#include <mica/engine.h>

struct input {
    struct mica_text text;
    int64_t rounds;
};
MICA_RECORD(input, MICA_TEXT(text, "What to digest."),
            MICA_INTEGER(rounds, "How often to go over it.", .minimum = 1,
                         .maximum = 100000, .fallback = MICA_JSON(1)));

struct output {
    int64_t digest;
    struct mica_text copy;
};
MICA_RECORD(output,
            MICA_INTEGER(digest, "FNV-1a of all rounds, its low 32 bits."),
            MICA_TEXT(copy, "The text again."));

static enum mica_status
digest(struct mica_call *call, const struct input *in, struct output *out)
{
    char *copy = mica_alloc(call, in->text.len + 1);
    uint64_t hash = UINT64_C(14695981039346656037);
    if (in->text.len == 0)
        return mica_fail(call, "NOTHING_TO_DIGEST", "text",
                         "The text is empty; pass at least one character.");
    for (int64_t round = 0; round < in->rounds; round++)
        for (size_t i = 0; i < in->text.len; i++) {
            copy[i] = in->text.ptr[i];
            hash = (hash ^ (unsigned char)copy[i]) * UINT64_C(1099511628211);
        }
    out->digest = (int64_t)(hash & 0xFFFFFFFF);
    out->copy = (struct mica_text){copy, in->text.len};
    return MICA_OK;
}

MICA_ENGINE(digest_text, input, output, digest, .title = "Digest a text",
            .description = "Digest a text, for the tests of the sandbox.",
            .category = "test",
            .examples = MICA_EXAMPLES(
                {"abc", MICA_JSON({"text": "abc"}),
                 MICA_JSON({"digest": 88168267, "copy": "abc"})}));
