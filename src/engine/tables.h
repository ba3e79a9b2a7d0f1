// SPDX-License-Identifier: Apache-2.0
//
// The structs of record.h and engine.h as they lie in the memory of a module:
// pointers and sizes take 4 bytes, and are numbers to readers outside.
// module.c has the compiler compare the two.
#ifndef MICA_ENGINE_TABLES_H
#define MICA_ENGINE_TABLES_H

#include <stdint.h>

struct mica_table_format {
    uint32_t name, sample, matches;
};

struct mica_table_bounds {
    double minimum, maximum, exclusive_minimum, exclusive_maximum;
    uint32_t min_length, max_length, pattern, format;
    uint8_t wide;
};

struct mica_table_type {
    uint32_t kind, size, codec, element, value_offset, record, choices;
    uint32_t choice_count, tag;
};

struct mica_table_field {
    uint32_t name, offset, type, description, fallback;
    uint8_t optional;
    uint32_t has_offset, unit;
    uint32_t min_items, max_items;
    struct mica_table_bounds bounds, each, keys;
    uint32_t title, chart;
    uint8_t answer;
};

struct mica_table_record {
    uint32_t tag, size, fields, count, field_size;
};

struct mica_table_example {
    uint32_t title, input, output, error;
};

struct mica_table_view {
    uint32_t name, file, html, title, description;
    uint32_t connect_domains, resource_domains, frame_domains;
    uint32_t base_uri_domains, permissions, border, domain;
};

struct mica_table_engine {
    uint32_t abi, identifier, input, output, handler;
    uint32_t title, description, category, examples, example_count;
    uint32_t time_ms, memory_bytes, output_bytes, view;
};

#endif
