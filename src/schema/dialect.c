// SPDX-License-Identifier: Apache-2.0
//
// Which keywords a schema's `$schema` gives meaning to.
#include "schema/compile.h"
#include "schema/uri.h"

#define DRAFT      "https://json-schema.org/draft/2020-12/"
#define VOCABULARY DRAFT "vocab/"

static const struct {
    const char *uriz;
    unsigned bit;
} vocabularies[] = {
    {VOCABULARY "core", MICA_VOCABULARY_CORE},
    {VOCABULARY "applicator", MICA_VOCABULARY_APPLICATOR},
    {VOCABULARY "unevaluated", MICA_VOCABULARY_UNEVALUATED},
    {VOCABULARY "validation", MICA_VOCABULARY_VALIDATION},
    {VOCABULARY "format-annotation", MICA_VOCABULARY_FORMAT},
    {VOCABULARY "format-assertion",
     MICA_VOCABULARY_FORMAT | MICA_VOCABULARY_FORMAT_ASSERT},
    {VOCABULARY "meta-data", 0},
    {VOCABULARY "content", 0},
};

static enum mica_status
add_vocabulary(struct mica_schema_compiler *compiler,
               struct mica_schema_resource *resource,
               const struct mica_json *schema,
               const struct mica_json_member *member)
{
    for (size_t i = 0; i < MICA_COUNT(vocabularies); i++) {
        if (mica_text_is(member->name, vocabularies[i].uriz)) {
            resource->vocabularies |= vocabularies[i].bit;
            return MICA_OK;
        }
    }
    if (member->value.kind != MICA_JSON_TRUE)
        return MICA_OK;
    return mica_schema_refuse(compiler, resource, schema, MICA_E_USAGE,
                              "its dialect %.*s needs the vocabulary %.*s, "
                              "which mica does not have",
                              MICA_ARG(schema->text), MICA_ARG(member->name));
}

static enum mica_status
schema_compiler_unsupported(struct mica_schema_compiler *compiler,
                            struct mica_schema_resource *resource,
                            const struct mica_json *schema)
{
    return mica_schema_refuse(
        compiler, resource, schema, MICA_E_USAGE,
        "the dialect %.*s is not supported; write the schema for "
        "" DRAFT "schema, or register that metaschema",
        MICA_ARG(schema->text));
}

enum mica_status
mica_schema_dialect(struct mica_schema_compiler *compiler,
                    struct mica_schema_resource *resource)
{
    const struct mica_json *schema = mica_json_get(resource->root, "$schema");
    struct mica_schema_resource *dialect;
    struct mica_text fragment;
    if (schema == NULL)
        return MICA_OK;
    if (schema->kind != MICA_JSON_STRING)
        return mica_schema_refuse(compiler, resource, schema, MICA_E_USAGE,
                                  "$schema must be a string, the URI of a "
                                  "dialect");
    resource->vocabularies = MICA_VOCABULARY_STANDARD;
    struct mica_text uri =
        mica_uri_resolve(compiler->temporary, (struct mica_text){NULL, 0},
                         schema->text, &fragment);
    if (uri.ptr == NULL)
        return mica_schema_no_memory(compiler);
    if (mica_text_is(uri, DRAFT "schema") && fragment.len == 0)
        return MICA_OK;
    if (fragment.len > 0 ||
        mica_text_starts(uri, "http://json-schema.org/draft-"))
        return schema_compiler_unsupported(compiler, resource, schema);
    MICA_TRY(mica_schema_resource_find(compiler, uri, &dialect));
    if (dialect == NULL)
        return schema_compiler_unsupported(compiler, resource, schema);
    const struct mica_json *list = mica_json_get(dialect->root, "$vocabulary");
    if (list == NULL || list->kind != MICA_JSON_OBJECT)
        return MICA_OK;
    resource->vocabularies = MICA_VOCABULARY_CORE;
    for (size_t i = 0; i < list->count; i++)
        MICA_TRY(add_vocabulary(compiler, resource, schema, &list->members[i]));
    return MICA_OK;
}
