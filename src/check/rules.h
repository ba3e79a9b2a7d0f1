// SPDX-License-Identifier: Apache-2.0
//
// Every rule of `mica check`, in one table: its stable code and what an engine or
// tool must be like to keep it. docs/check.md explains each at length; a test holds
// the two together.
#ifndef MICA_CHECK_RULES_H
#define MICA_CHECK_RULES_H

// X(code, what is demanded)
#define MICA_RULES(X)                                                        \
    X(BUILD_FAILED, "the source compiles")                                   \
    X(IMPURE_ENGINE, "nothing of the outside is within reach")               \
    X(TOOL_MISSING, "what the check needs is installed")                     \
    X(SLUG_FORM, "the file name is kebab-case")                              \
    X(SLUG_MISMATCH, "the engine or tool is named as its file")              \
    X(ENGINE_COUNT, "the file describes exactly one engine or tool")         \
    X(NOT_PORTABLE, "the source does not ask where it runs")                 \
    X(MEMBER_FORGOTTEN, "every member of a struct is in its record")         \
    X(TABLE_INVALID, "tables and examples agree with themselves")            \
    X(TITLE_FORM, "the title is a short name for people")                    \
    X(CATEGORY_FORM, "the category is one lower-case word")                  \
    X(DESCRIPTION_SIZE, "the description is a sentence or a little more")    \
    X(DESCRIPTION_PUNCTUATION, "the description is made of whole sentences") \
    X(DESCRIPTION_EMPTY, "the description says what the title does not")     \
    X(FIELD_UNDESCRIBED, "every field, also of a form, has a description")   \
    X(FIELD_DESCRIPTION_SIZE, "a field's description has a fitting length")  \
    X(FIELD_DESCRIPTION_EMPTY, "it says more than the field's name")         \
    X(OUTPUT_UNSTRUCTURED, "the output is data, not a lone text")            \
    X(UNIT_MISSING, "a quantity names the field with its unit")              \
    X(MONEY_AS_DOUBLE, "an amount in a currency is a decimal")               \
    X(TIME_AS_TEXT, "a date or time is of kind date or date-time")           \
    X(SEED_UNEXPLAINED, "a seed says that it sets the randomness")           \
    X(OUTPUT_UNASSIGNED, "a line assigns each field of the output")          \
    X(TEXT_AS_STRING, "a text is not read as a C string")                    \
    X(COMPILER_WARNING, "the compiler has nothing to warn of")               \
    X(SCHEMA_LARGE, "the input schema stays small enough to send often")     \
    X(HIDDEN_UNICODE, "no text holds characters that a reader cannot see")   \
    X(LOOKALIKE_LETTERS, "no word mixes alphabets that look alike")          \
    X(FAILURE_CODE, "a failure has a code in UPPER_SNAKE")                   \
    X(FAILURE_PATH, "a failure's path leads to an input")                    \
    X(FAILURE_UNNAMED, "a failure is made by mica_fail")                     \
    X(FAILURE_IGNORED, "what mica_fail returns is returned")                 \
    X(EXAMPLES_MISSING, "there is at least one example")                     \
    X(EXAMPLE_TITLE, "an example has a short title")                         \
    X(EXAMPLE_TITLE_REPEATED, "no two examples have the same title")         \
    X(EXAMPLE_EXPECTATION, "an example names what it expects")               \
    X(EXAMPLE_FAILED, "every example comes true")                            \
    X(BRANCH_UNTESTED, "examples make each `if` true and false")             \
    X(CASE_UNTESTED, "an example selects each `case`")                       \
    X(COVERAGE_UNKNOWN, "the compiler says how often each branch ran")       \
    X(ENGINE_FAULT, "no input stops the engine on a fault of its own")       \
    X(ENGINE_TIMEOUT, "the engine ends within its time")                     \
    X(NOT_REPEATABLE, "the same input gives the same bytes again")           \
    X(NATIVE_DIFFERS, "the module and a native build give the same bytes")   \
    X(PAGE_APART, "the page that a tool brings computes with its engine")    \
    X(FORM_INVALID, "every form of a tool can be shown to a person")         \
    X(STEP_UNDECLARED, "a tool names the steps that it runs")                \
    X(STEP_UNUSED, "a tool runs the steps that it names")                    \
    X(FETCH_UNDECLARED, "a tool that fetches names the servers")             \
    X(KEEP_UNDECLARED, "a tool that keeps something says where")             \
    X(VIEW_INVALID, "a tool's view has a file and legal names")              \
    X(VIEW_LOADS, "a view loads nothing that it does not declare")           \
    X(EXAMPLE_INPUT, "the input of a tool's example fits its schema")        \
    X(STEP_WITHOUT_STAND_IN, "in a test a service stands in for effects")    \
    X(TESTS_FAILED, "the tests of a tool pass")                              \
    X(APP_INVALID, "an app of the project can be published")                 \
    X(APP_WARNING, "an app of the project is easy to choose and to read")    \
    X(PROMPT_INVALID, "a prompt of the project can be offered")              \
    X(RESOURCES_INVALID, "the resources of the project can be offered")

enum mica_rule {
#define MICA_RULE_SYMBOL(code, demand) MICA_RULE_##code,
    MICA_RULES(MICA_RULE_SYMBOL)
#undef MICA_RULE_SYMBOL
    MICA_RULE_COUNT
};

#endif
