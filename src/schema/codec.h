// SPDX-License-Identifier: Apache-2.0
//
// How the values of one kind are read from JSON and written to it. Each type names
// its codec (record.h), and nothing else does: so a module holds the codecs of the
// kinds that its tables name, and browsers do not fetch the others.
//
// Decoding is strict, because an agent learns from a refusal and not from a value
// that was dropped: unknown names, other types and values out of bounds all end it
// with the first of them. Encoding checks the same: an engine that breaks its own
// promise is a fault to report, not an answer to send.
#ifndef MICA_SCHEMA_CODEC_H
#define MICA_SCHEMA_CODEC_H

#include "schema/record_value.h"

struct mica_codec {
    const char *wanted; // "a number": what a refusal says is wanted
    // `out` and `in` are of the slot's C type.
    enum mica_status (*decode)(struct mica_checker *checker,
                               const struct mica_place *place,
                               const struct mica_slot *slot,
                               const struct mica_json *value, void *out);
    enum mica_status (*encode)(struct mica_checker *checker,
                               const struct mica_place *place,
                               const struct mica_slot *slot, const void *in,
                               struct mica_json_writer *writer);
};

static inline enum mica_status
mica_decode_value(struct mica_checker *checker, const struct mica_place *place,
                  const struct mica_slot *slot, const struct mica_json *value,
                  void *out)
{
    return slot->type->codec->decode(checker, place, slot, value, out);
}

static inline enum mica_status
mica_encode_value(struct mica_checker *checker, const struct mica_place *place,
                  const struct mica_slot *slot, const void *in,
                  struct mica_json_writer *writer)
{
    return slot->type->codec->encode(checker, place, slot, in, writer);
}

#endif
