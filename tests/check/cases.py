# SPDX-License-Identifier: Apache-2.0
"""The rules of `mica check`, each broken by one change to send-parcels.c.

A case is (what it shows, [(old, new), …], [(code, path, words), …]): what is
replaced in the engine, and every finding that must come of it, with words that
its message must have. No findings: the engine is as good as before.
"""

import pathlib

ENGINE = "MICA_ENGINE(\n"
DESCRIPTION = ('"Tell on which day parcels arrive that are handed "\n'
               '                   "in on a given day."')
BODY = "    int64_t days = in->seed % 2;\n"
FAIL_CODE = '"NOTHING_TO_SEND", "parcels"'
SLOW_INPUT = '"parcels": [{"weight": 2.5, "unit": "kg"}]'
BASE = (pathlib.Path(__file__).parent / "send-parcels.c").read_text()
BASE_EXAMPLES = BASE[BASE.index("    .examples ="):-len(");\n")]
LATE_EXAMPLE = ("""        {"At the end of time", MICA_JSON({
             "speed": "fast",
             "posted": "9999-12-31",
             "parcels": [{"weight": 1, "unit": "kg"}]
         }),
         .error = "TOO_LATE"}""")

# Another field in the output, and a line of the handler that fills it.


def output_field(member, field, line):
    return [("    struct mica_text note;\n};", "    struct mica_text note;\n    %s\n};" % member),
            ('MICA_TEXT(note, "The same in words."))',
             'MICA_TEXT(note, "The same in words."), %s)' % field),
            ("    out->count =", "    %s\n    out->count =" % line)]


def input_field(member, field):
    return [("    int64_t seed;\n};", "    int64_t seed;\n    %s\n};" % member),
            (".fallback = MICA_JSON(0)));", ".fallback = MICA_JSON(0)), %s);" % field)]


def body(lines):
    return [(BODY, BODY + lines)]


CASES = [
    ("an engine that breaks no rule is good", [], []),

    # ---- Source and build ------------------------------------------------------
    ("a name in C that is not the file's",
     [("send_parcels", "other_name")],
     [("SLUG_MISMATCH", "", "names the engine 'other_name'")]),
    ("a file without an engine",
     [(ENGINE, "MICA_NOTHING(\n")],
     [("ENGINE_COUNT", "", "has no MICA_ENGINE")]),
    ("a file with two engines",
     [(ENGINE, "MICA_ENGINE(second, input, output, post, .title = \"Two\");\n" + ENGINE)],
     [("ENGINE_COUNT", "", "has 2 engines")]),
    ("a source that does not compile",
     body("    days = missing;\n"),
     [("BUILD_FAILED", "", "'missing' undeclared")]),
    ("a call that reaches for hidden state",
     [("#include <mica/engine.h>", "#include <mica/engine.h>\n#include <stdlib.h>"),
      (BODY, "    int64_t days = rand() % 2;\n")],
     [("IMPURE_ENGINE", None, "rand")]),
    ("a variable that keeps its value",
     [("static enum mica_status\npost", "static int64_t calls;\n\nstatic enum mica_status\npost"),
      (BODY, "    int64_t days = calls++ % 2;\n")],
     [("IMPURE_ENGINE", None, "calls")]),
    ("a source that asks for the machine in a preprocessor line",
     [(BODY, "#ifdef __wasm__\n    int64_t days = 0;\n#else\n" + BODY + "#endif\n")],
     [("NOT_PORTABLE", "", "'__wasm__'")]),
    ("a source that holds the day of its build",
     body("    days += sizeof(__DATE__) % 1;\n"),
     [("NOT_PORTABLE", "", "'__DATE__'")]),
    ("the same words in a comment and in a text",
     body("    /* not __wasm__, no asm */\n    const char *word = \"__FILE__\";\n    (void)word;\n"),
     []),
    ("a member that its record forgets",
     [("    double weight;\n    struct mica_text unit;", "    double weight, height;\n    struct mica_text unit;")],
     [("MEMBER_FORGOTTEN", "", "Member 'height' of struct parcel")]),
    # What the compiler refuses is said alone.
    ("a comma that is missing between two fields",
     [('"Day on which they are handed in."),', '"Day on which they are handed in.")')],
     [("BUILD_FAILED", "", "comma")]),
    ("a field with the words in the place of its member",
     [('MICA_TEXT(note, "The same in words.")', 'MICA_TEXT("The same in words.", note)')],
     [("BUILD_FAILED", "", "'note' undeclared")]),
    ("a list's inner members are not members",
     input_field("struct {\n        size_t count;\n        const double *items;\n    } marks;",
                 'MICA_LIST(marks, number, "Marks of the jury, if any.", .fallback = MICA_JSON([]))'),
     []),
    ("a default that its own field refuses",
     [(".fallback = MICA_JSON(0)", ".maximum = 5, .fallback = MICA_JSON(9)")],
     [("TABLE_INVALID", None, "seed")]),
    ("an example that is no JSON object of the input",
     [('"seed": 1', '"sead": 1')],
     [("TABLE_INVALID", None, "sead")]),

    # ---- The tool ----------------------------------------------------------------
    ("a title that is too short", [('"Send parcels"', '"P."')],
     [("TITLE_FORM", "title", "no short name")]),
    ("no title", [('.title = "Send parcels"', '.title = ""')],
     [("TABLE_INVALID", None, "has no .title")]),
    ("a title that is a sentence", [('"Send parcels"', '"Sends all your parcels."')],
     [("TITLE_FORM", "title", "without a full stop")]),
    ("a category of several words", [('"post"', '"Post and more"')],
     [("CATEGORY_FORM", "category", "one lower-case word")]),
    ("a description that is too short", [(DESCRIPTION, '"Parcels, on which day."')],
     [("DESCRIPTION_SIZE", "description", "has 22 characters")]),
    ("a description that is too long",
     [(DESCRIPTION, '"' + "Tell on which day parcels arrive. " * 30 + 'Done."')],
     [("DESCRIPTION_SIZE", "description", "40 to 800")]),
    ("a description that was cut",
     [('"in on a given day."', '"in on a given day, and"')],
     [("DESCRIPTION_PUNCTUATION", "description", "full stop")]),
    ("a description that only repeats the title",
     [('"Send parcels"', '"Send parcels to another country"'),
      (DESCRIPTION, '"Send the parcels to another country with this."')],
     [("DESCRIPTION_EMPTY", "description", "only repeats the title")]),
    ("an output that is a lone text",
     [("    int64_t count;\n    struct mica_date arrival;\n    struct mica_text note;\n};",
       "    struct mica_text note;\n};"),
      ('MICA_RECORD(output, MICA_INTEGER(count, "How many parcels travel."),\n'
       '            MICA_DATE(arrival, "Day on which the last of them is there."),\n            ',
       "MICA_RECORD(output, "),
      ("    out->count = (int64_t)in->parcels.count;\n", "    (void)days;\n"),
      ("    out->arrival = mica_date_from_days(mica_date_to_days(in->posted) + days);\n", ""),
      ('MICA_JSON({"count": 1, "arrival": "2026-11-25"})', 'MICA_JSON({"note": "1 on the way"})'),
      ('"arrival": "2026-11-22", ', "")],
     [("OUTPUT_UNSTRUCTURED", "output", "a lone text")]),
    ("an input schema that is large",
     [('"unit": "kg"}]\n         }),\n         MICA_JSON({"count": 1',
       '"unit": "kg"}, %s]\n         }),\n         MICA_JSON({"count": 18' % ", ".join(
           ['{"weight": 1e%s1, "unit": "kg"}' % ("0" * 490)] * 17))],
     [("SCHEMA_LARGE", "input", "below 8192")]),

    # ---- Fields ------------------------------------------------------------------
    ("a nested field without description",
     [('"How heavy the parcel is."', '""')],
     [("FIELD_UNDESCRIBED", "input/parcels/*/weight", "'weight' has no description")]),
    ("a field's description that is too short",
     [('"The same in words."', '"Words."')],
     [("FIELD_DESCRIPTION_SIZE", "output/note", "has 6 characters")]),
    ("a field's description that is too long",
     [('"The same in words."', '"%s."' % ("The same in words" * 30))],
     [("FIELD_DESCRIPTION_SIZE", "output/note", "8 to 400")]),
    ("a field's description that only repeats its name",
     [('"Day on which the last of them is there."', '"The arrivals."')],
     [("FIELD_DESCRIPTION_EMPTY", "output/arrival", "only repeats its name")]),
    ("a nested quantity without unit",
     [('.maximum = 1000, .unit = "unit"', ".maximum = 1000")],
     [("UNIT_MISSING", "input/parcels/*/weight", "'weight' is a quantity")]),
    ("a quantity in camel case, in a list",
     input_field("struct {\n        size_t count;\n        const double *items;\n    } unitPrices;",
                 'MICA_LIST(unitPrices, number, "What each of them is worth.", .fallback = MICA_JSON([]))'),
     [("UNIT_MISSING", "input/unitPrices", "'unitPrices'")]),
    ("a quantity whose name has its unit, counts and shares",
     input_field("double delay_minutes, height_cm, tax_rate, fee_percent;\n    int64_t length, price_count;",
                 ", ".join('MICA_NUMBER(%s, "Only here for the rule.", .fallback = MICA_JSON(0))' % name
                           for name in ("delay_minutes", "height_cm", "tax_rate", "fee_percent")) +
                 ', MICA_INTEGER(length, "How many they are.", .fallback = MICA_JSON(0))'
                 ', MICA_INTEGER(price_count, "How many have one.", .fallback = MICA_JSON(0))'),
     []),
    ("a quantity whose sibling has named the unit for all",
     output_field("struct mica_decimal price, total;\n    struct mica_text currency;",
                  'MICA_DECIMAL(price, "What one of them costs.", .unit = "currency"), '
                  'MICA_DECIMAL(total, "What they cost together."), '
                  'MICA_TEXT(currency, "ISO 4217 code of both.")',
                  'out->total = out->price = (struct mica_decimal){0};\n'
                  '    out->currency = MICA_LITERAL("EUR");'),
     []),
    ("an amount of money that is a double",
     output_field("double price;\n    int64_t cents;\n    struct mica_text currency;",
                  'MICA_NUMBER(price, "What one of them costs.", .unit = "currency"), '
                  'MICA_INTEGER(cents, "The same in cents.", .unit = "currency"), '
                  'MICA_TEXT(currency, "ISO 4217 code of both.")',
                  'out->cents = 0;\n    out->price = 0;\n'
                  '    out->currency = MICA_LITERAL("EUR");'),
     [("MONEY_AS_DOUBLE", "output/price", "MICA_DECIMAL")]),
    ("a currency that no field has named as its unit",
     output_field("double total;\n    struct mica_text currency;",
                  'MICA_NUMBER(total, "What they cost together."), '
                  'MICA_TEXT(currency, "ISO 4217 code of it.")',
                  'out->total = 0;\n    out->currency = MICA_LITERAL("EUR");'),
     [("UNIT_MISSING", "output/total", "ISO 4217")]),
    ("a deadline that is a text",
     input_field("struct mica_text deadline;",
                 'MICA_TEXT(deadline, "Until when it must be there.", .fallback = MICA_JSON(""))'),
     [("TIME_AS_TEXT", "input/deadline", "MICA_DATE")]),
    ("a moment that is a text, in a list of the output",
     output_field("struct {\n        size_t count;\n        const struct mica_text *items;\n    } createdAt;",
                  'MICA_LIST(createdAt, text, "When each of them was made.")',
                  "out->createdAt.count = 0;"),
     [("TIME_AS_TEXT", "output/createdAt", "'createdAt' says when")]),
    ("texts that only sound like times",
     input_field("struct mica_text time_zone, day_of_week, date_format;",
                 ", ".join('MICA_TEXT(%s, "Only here for the rule.", .fallback = MICA_JSON(""))' % name
                           for name in ("time_zone", "day_of_week", "date_format"))),
     []),
    ("a seed that does not say what it is",
     [('"Sets the randomness: the same seed gives the "\n'
       '                         "same delay."', '"Any whole number."')],
     [("SEED_UNEXPLAINED", "input/seed", "sets the randomness")]),

    # ---- Characters ----------------------------------------------------------------
    ("a zero-width space in the source",
     [('"The same in words."', '"The same\u200b in words."')],
     [("HIDDEN_UNICODE", "", "U+200B, a zero-width space")]),
    ("an override of the direction in a comment",
     body("    // \u202e backwards\n"),
     [("HIDDEN_UNICODE", "", "U+202E, a directional override")]),
    ("a hidden character that the compiler makes",
     [('"The same in words."', '"The same\\u2060 in words."')],
     [("HIDDEN_UNICODE", "output/note", "U+2060, a word joiner")]),
    ("tag characters in the title of an example",
     [('"Two, fast"', '"Two, fast\\U000E0041"')],
     [("HIDDEN_UNICODE", "examples/1", "U+E0041, a tag character")]),
    ("a variation selector behind a letter",
     [('"How many parcels travel."', '"How many parcels tra\ufe0fvel."')],
     [("HIDDEN_UNICODE", "", "U+FE0F, a variation selector")]),
    ("an emoji with its joiner and its selector",
     [('"The same in words."', '"The same in words. \U0001F469\u200d\U0001F4BB \u2764\ufe0f"')],
     []),
    ("an escape of a hidden character in an example, whose reader sees no escape",
     [(SLOW_INPUT, SLOW_INPUT.replace("kg", "k\\u200bg"))],
     [("HIDDEN_UNICODE", "examples/0", "U+200B, a zero-width space")]),
    ("a letter of another alphabet inside a word",
     [('"How many parcels travel."', '"How many p\u0430rcels travel."')],
     [("LOOKALIKE_LETTERS", "", "U+0430")]),
    ("whole words of another alphabet, and units",
     [('"How many parcels travel."', '"How many \u043f\u043e\u0441\u044b\u043b\u043a\u0438 travel, 5 \u03bcm \u03a9."')],
     []),

    # ---- Failures ------------------------------------------------------------------
    ("a code in lower case",
     [(FAIL_CODE, '"nothing_to_send", "parcels"'),
      ('.error = "NOTHING_TO_SEND"', '.error = "NOTHING"')],
     [("FAILURE_CODE", "", "is not UPPER_SNAKE"),
      ("ENGINE_FAULT", "examples/2", "failed without saying why")]),
    ("a code of mica's own",
     [(FAIL_CODE, '"UNAUTHORIZED", "parcels"'),
      ('.error = "NOTHING_TO_SEND"', '.error = "UNAUTHORIZED"')],
     [("FAILURE_CODE", "", '"UNAUTHORIZED" is one of mica\'s own'),
      ("FAILURE_CODE", "examples/2", "'UNAUTHORIZED', which is one")]),
    ("one of two codes in lower case",
     [(FAIL_CODE, 'in->seed > 5 ? "Too many" : "NOTHING_TO_SEND", "parcels"')],
     [("FAILURE_CODE", "", '"Too many"'), ("*", "random", "")]),
    ("a computed code of another form",
     [("        return mica_fail(call, " + FAIL_CODE,
       '        const char *code = mica_format(call, "NOTHING__%d", 1).ptr;\n'
       '        return mica_fail(call, code, "parcels"'),
      ('.error = "NOTHING_TO_SEND"', '.error = "NOTHING"')],
     [("EXAMPLE_FAILED", "examples/2", "fails with NOTHING__1"),
      ("FAILURE_CODE", "examples/2", "'NOTHING__1'")]),
    ("a path that leads nowhere",
     [(FAIL_CODE, '"NOTHING_TO_SEND", "parcel"')],
     [("FAILURE_PATH", "", 'The path "parcel" leads to no input'),
      ("FAILURE_PATH", "examples/2", "'/parcel'")]),
    ("a computed path that leads nowhere",
     [(FAIL_CODE, '"NOTHING_TO_SEND", mica_format(call, "parcels/first").ptr')],
     [("FAILURE_PATH", "examples/2", "'/parcels/first'")]),
    ("a path into a list, and none at all",
     [(FAIL_CODE, '"NOTHING_TO_SEND", in->seed > 5 ? "" : "parcels/0/weight"')],
     []),
    ("a failure without mica_fail",
     [('return mica_fail(call, ' + FAIL_CODE + ',\n'
       '                         "There is no parcel. Pass at least one.");',
       "return MICA_E_RANGE;"),
      ('.error = "NOTHING_TO_SEND"', '.error = "OUT_OF_RANGE"')],
     [("FAILURE_UNNAMED", "", "MICA_E_RANGE says nothing"), ("*", "examples/2", "")]),
    ("a failure that is not returned",
     [("        return mica_fail(call, " + FAIL_CODE, "        mica_fail(call, " + FAIL_CODE)],
     [("FAILURE_IGNORED", "", "return mica_fail"),
      ("ENGINE_FAULT", "examples/2", "called mica_fail with NOTHING_TO_SEND")]),
    ("a status that is passed on and compared",
     [("static enum mica_status\npost",
       "static enum mica_status\nrefuse(struct mica_call *call)\n{\n"
       "    return mica_fail(call, \"NOTHING_TO_SEND\", \"parcels\", \"None.\");\n}\n\n"
       "static enum mica_status\npost"),
      ('        return mica_fail(call, ' + FAIL_CODE + ',\n'
       '                         "There is no parcel. Pass at least one.");',
       "        enum mica_status status = refuse(call);\n"
       "        return status == MICA_FAILED ? status : MICA_OK;")],
     []),

    # ---- Examples --------------------------------------------------------------------
    ("an engine without examples",
     [(BASE_EXAMPLES, ""), ('"in on a given day.",', '"in on a given day."')],
     [("EXAMPLES_MISSING", "examples", "There are no examples"), ("*", "", "")]),
    ("an example with a title that says nothing",
     [('"Two, fast"', '"2"')],
     [("EXAMPLE_TITLE", "examples/1", "say what the example shows")]),
    ("two examples with one title",
     [('"Two, fast"', '"One, slowly"')],
     [("EXAMPLE_TITLE_REPEATED", "examples/1", "Example 0 has the title")]),
    ("an example that expects nothing",
     [('MICA_JSON({"count": 1, "arrival": "2026-11-25"})', "MICA_JSON({})")],
     [("EXAMPLE_EXPECTATION", "examples/0", "cannot fail")]),
    ("an example whose output is another",
     [('"arrival": "2026-11-22"', '"arrival": "2026-11-23"')],
     [("EXAMPLE_FAILED", "examples/1",
       "Expected \"2026-11-23\" at '/arrival' of the output, but it is \"2026-11-22\"")]),
    ("an example that expects an error and gets an output",
     [('MICA_JSON({"count": 1, "arrival": "2026-11-25"})', '.error = "TOO_LATE"')],
     [("EXAMPLE_FAILED", "examples/0", "Expected the error TOO_LATE, but the engine answers")]),
    ("an example that expects an output and gets an error",
     [('         .error = "TOO_LATE"}', '         MICA_JSON({"count": 1})}')],
     [("EXAMPLE_FAILED", "examples/3", "Expected an output, but it fails with TOO_LATE")]),
    ("an example that expects another error",
     [('.error = "TOO_LATE"', '.error = "TOO_EARLY"')],
     [("EXAMPLE_FAILED", "examples/3", "Expected the error TOO_EARLY, but it fails with TOO_LATE")]),
    ("an example that a refused input satisfies",
     [('"parcels": []', '"parcels": [], "speeed": 1'),
      ('.error = "NOTHING_TO_SEND"', '.error = "UNKNOWN_FIELD"'),
      ("    if (in->parcels.count == 0) {\n"
       '        return mica_fail(call, ' + FAIL_CODE + ',\n'
       '                         "There is no parcel. Pass at least one.");\n    }\n', "")],
     []),
    ("numbers compare by value, fields that are not named not at all",
     [('MICA_JSON({"count": 1, "arrival": "2026-11-25"})', 'MICA_JSON({"count": 1.0})')],
     []),

    # ---- Branches (more in branches.c) -------------------------------------------------
    ("a branch that no example takes",
     [(",\n" + LATE_EXAMPLE, "")],
     [("BRANCH_UNTESTED", "", "No example makes true 'if (in->posted.year > 9998)'")]),
    ("a case that no example selects",
     [('MICA_JSON({\n             "speed": "slow"', 'MICA_JSON({\n             "speed": "fast"'),
      ("2026-11-25", "2026-11-21")],
     [("CASE_UNTESTED", "", "No example selects 'case SLOW'")]),
    ("an `if` that the compiler cannot count",
     [("static enum mica_status\npost",
       "#define TWICE(code) code code\n\nstatic enum mica_status\npost"),
      (BODY, BODY + "    TWICE(if (days > 0) { days -= 0; })\n")],
     [("COVERAGE_UNKNOWN", "", "counted nothing for 'days > 0'")]),

    # ---- Outputs, texts, warnings --------------------------------------------------------
    ("an output field that no line assigns",
     output_field("int64_t rest;", 'MICA_INTEGER(rest, "How many stay behind today.")', "(void)0;"),
     [("OUTPUT_UNASSIGNED", "output/rest", "No line of the engine assigns `rest`")]),
    ("a text in the output that no line assigns",
     [("    out->note = mica_format(call, \"%zu on the way\", in->parcels.count);\n", ""),
      (', "note": "2 on the way"', "")],
     [("OUTPUT_UNASSIGNED", "output/note", "assigns `note`")]),
    ("an output field that is zero but assigned, through a pointer",
     output_field("int64_t rest;", 'MICA_INTEGER(rest, "How many stay behind today.")',
                  "int64_t *rest = &out->rest;\n    *rest = 0;"),
     []),
    ("an output field that a path without a visitor assigns",
     output_field("int64_t rest;", 'MICA_INTEGER(rest, "How many stay behind today.")',
                  "out->rest = in->parcels.count > 9999 ? 1 : 0;"),
     []),
    ("a text whose length is asked for as that of a C string",
     [("#include <mica/engine.h>", "#include <mica/engine.h>\n#include <string.h>"),
      (BODY, BODY + "    days += in->parcels.count > 0 ? "
       "(int64_t)strlen(in->parcels.items[0].unit.ptr) * 0 : 0;\n")],
     [("TEXT_AS_STRING", "", "strlen reads in->parcels.items[0].unit.ptr to a NUL")]),
    ("a text that is printed as a C string",
     [('mica_format(call, "%zu on the way", in->parcels.count)',
       'mica_format(call, "%zu on the way%.*s%s", in->parcels.count, '
       'MICA_ARG(MICA_LITERAL("")), in->parcels.items[0].unit.ptr + 0 * (in->seed > 9))'),
      ("+ 0 * (in->seed > 9)", ""), ('"note": "2 on the way"', '"count": 2')],
     [("TEXT_AS_STRING", "", "Write %.*s and MICA_ARG(in->parcels.items[0].unit)"),
      ("*", None, "")]),
    ("a text that is printed as one",
     [('mica_format(call, "%zu on the way", in->parcels.count)',
       'mica_format(call, "%zu on the way%.*s", in->parcels.count, '
       'MICA_ARG(in->parcels.items[0].unit))'), ('"note": "2 on the way"', '"count": 2')],
     []),
    ("a variable that nothing reads",
     body("    int64_t idle = days;\n"),
     [("COMPILER_WARNING", "", "The compiler warns: unused variable 'idle'")]),

    # ---- Runs ------------------------------------------------------------------------
    ("a division by zero",
     body("    days += 7 / (in->seed + (int64_t)in->parcels.count - 1);\n"),
     [("ENGINE_FAULT", "examples/0", "stops on a fault of its own"), ("*", None, "")]),
    ("an access outside an array",
     body("    int table[4] = {0, 0, 0, 0};\n    days += table[in->posted.month];\n"),
     [("ENGINE_FAULT", "examples/0", "stops on a fault of its own"), ("*", None, "")]),
    ("a wild pointer that only this machine minds",
     body("    const volatile char *nowhere = (const volatile char *)(uintptr_t)(in->seed + 64);\n"
          "    days += *nowhere & 0;\n"),
     [("ENGINE_FAULT", "examples/0", "The native build crashes (Segmentation fault)"), ("*", None, "")]),
    ("a recursion without end",
     [("static enum mica_status\npost",
       "static int64_t\ndeeper(volatile int64_t depth)\n{\n    volatile char room[64];\n\n"
       "    room[depth & 63] = 1;\n    return depth < 0 ? 0 : 1 + deeper(depth + 1) + room[depth & 63];\n}\n\n"
       "static enum mica_status\npost"),
      (BODY, BODY + "    days += deeper(0) & 0;\n")],
     [("ENGINE_FAULT", "examples/0", "stops on a fault of its own"), ("*", None, "")]),
    ("a loop without end for one input",
     body("    bool stays = in->parcels.count == 1 && in->parcels.items[0].weight == 2.5;\n\n"
          "    for (volatile int64_t i = 0; i < (int64_t)stays; i += 0) {\n    }\n"),
     [("ENGINE_TIMEOUT", "examples/0", "does not end within its time"), ("*", None, "")]),
    # Most random inputs take their whole time: minutes, and for `make test-all`.
    ("a loop without end",
     body("    for (volatile int64_t i = in->seed; i < 9; i += 0) {\n    }\n"),
     [("ENGINE_TIMEOUT", "examples/0", "does not end within its time"), ("*", None, "")]),
    ("an output that its own schema refuses",
     [('"How many parcels travel."', '"How many parcels travel.", .maximum = 1')],
     [("ENGINE_FAULT", "examples/1", "OUT_OF_RANGE"), ("*", None, "")]),
    ("memory that is read before it is written",
     body("    volatile int room[4000];\n\n    days += room[10] == 7;\n"
          "    for (int i = 0; i < 4000; i++) {\n        room[i] = 7;\n    }\n"),
     [("NOT_REPEATABLE", None, "differ in a native build"), ("*", None, "")]),
    ("a size that differs from machine to machine",
     output_field("int64_t bits;", 'MICA_INTEGER(bits, "Width of a long here.")',
                  "out->bits = (int64_t)sizeof(long) * 8;"),
     [("NATIVE_DIFFERS", "examples/0", '"bits":32'), ("NATIVE_DIFFERS", "examples/1", '"bits":64')]),
    ("mathematics of the module and of a native build, constants included",
     [("#include <mica/engine.h>", "#include <math.h>\n#include <mica/engine.h>")] +
     output_field("double computed, constant;",
                  'MICA_NUMBER(computed, "The tangent of an input."), '
                  'MICA_NUMBER(constant, "The tangent of a literal.")',
                  "out->computed = tan(0.082 * (double)in->parcels.count);\n"
                  "    out->constant = tan(0.082);") +
     [('MICA_JSON({"count": 1, "arrival": "2026-11-25"})',
       'MICA_JSON({"count": 1, "computed": 0.0821842850021502, "constant": 0.0821842850021502})')],
     []),
]
