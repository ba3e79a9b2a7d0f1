# SPDX-License-Identifier: Apache-2.0
"""What `mica check` finds in interactive tools: each case breaks a rule in a tool
that is good otherwise.

    python3 test_tools.py --mica build/mica --source .
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

OPTIONS = None  # what the command line said

GOOD = """\
#include <mica/tool.h>

struct request { int64_t apples; };
MICA_RECORD(request, MICA_INTEGER(apples, "How many apples are ordered.",
                                  .minimum = 1));

struct consent { bool sure; };
MICA_RECORD(consent, MICA_BOOLEAN(sure, "Whether to continue."));

struct receipt { int64_t number; };
MICA_RECORD(receipt, MICA_INTEGER(number, "Of the order, for questions about it."));

static enum mica_status
charge(struct mica_server_call *call, const struct request *in, struct receipt *out)
{
    (void)call;
    out->number = in->apples * 7;
    return MICA_OK;
}
MICA_STEP(charge, request, receipt, charge);

static enum mica_status
run(struct mica_call *call, const struct request *in, struct receipt *out)
{
    struct consent consent;

    MICA_TRY(mica_elicit(call, MICA_FORM(consent, &consent), "Continue?"));
    return MICA_RUN_STEP(charge, call, in, out);
}

MICA_TOOL(order, request, receipt, run,
          .title = "Order apples",
          .description = "Order apples after asking whether that is meant, and "
                         "charge for them once.",
          .requires = MICA_ELICITATION, .steps = MICA_STEPS("charge"),
          .examples = MICA_EXAMPLES({"three apples", MICA_JSON({"apples": 3}),
                                     MICA_JSON({"number": 21})}));
"""

TEST = """\
#include <mica/test.h>

extern const struct mica_tool mica_tool_order;

MICA_TEST(apples_are_charged)
{
    struct mica_mock *mock = mica_mock_open();

    %s
    mica_mock_accept(mock, "consent", "{\\"sure\\": true}");
    MICA_EXPECT_RESULT(mica_run_tool(&mica_tool_order, "{\\"apples\\": 3}", mock),
                       "{\\"number\\": 21}");
    mica_mock_close(mock);
}

MICA_TEST_MAIN
"""

# What is replaced, by what, and the codes that it brings.
CASES = [
    ("nothing", "", "", []),
    ("a tool of another name", "MICA_TOOL(order", "MICA_TOOL(orders",
     ["SLUG_MISMATCH"]),
    ("no tool", "MICA_TOOL(order", "OTHER(order", ["ENGINE_COUNT"]),
    ("no C", "struct consent consent;", "struct consent consent", ["BUILD_FAILED"]),
    ("an answer that the tool does not look at", "MICA_TRY(mica_elicit(call, "
     'MICA_FORM(consent, &consent), "Continue?"));',
     'mica_elicit(call, MICA_FORM(consent, &consent), "Continue?");',
     ["BUILD_FAILED"]),
    ("a form that asks for a secret", """\
struct consent { bool sure; };
MICA_RECORD(consent, MICA_BOOLEAN(sure, "Whether to continue."));""", """\
struct consent { struct mica_text password; };
MICA_RECORD(consent, MICA_TEXT(password, "The password of the person."));""",
     ["FORM_INVALID"]),
    ("a step without a name", ', .steps = MICA_STEPS("charge")', "",
     ["STEP_UNDECLARED"]),
    ("a step with the call of a handler", "charge(struct mica_server_call *call",
     "charge(struct mica_call *call", ["BUILD_FAILED"]),
    ("a format in quotes", '.minimum = 1));',
     '.minimum = 1));\n\nstruct address { struct mica_text mail; };\n'
     'MICA_RECORD(address, MICA_TEXT(mail, "Where to write to.", .format = "email"));',
     ["BUILD_FAILED"]),
    ("a name without a step", 'MICA_STEPS("charge")',
     'MICA_STEPS("charge", "ship")', ["STEP_UNUSED"]),
    ("a fetch from nowhere", "#include <mica/tool.h>", """\
#include <mica/fetch.h>
#include <mica/tool.h>

struct word { struct mica_text word; };
MICA_RECORD(word, MICA_TEXT(word, "What a server says."));

// Anything but this: mica_fetch is called once.
enum mica_status ask_word(struct mica_call *call, struct word *out);
enum mica_status
ask_word(struct mica_call *call, struct word *out)
{
    return mica_fetch(call, &(struct mica_fetch){.url = MICA_LITERAL("https://a.example")},
                      MICA_INTO(word, out));
}
""", ["FETCH_UNDECLARED"]),
    ("a value kept nowhere", "#include <mica/tool.h>", """\
#include <mica/keep.h>

struct word { struct mica_text word; };
MICA_RECORD(word, MICA_TEXT(word, "What to keep."));

enum mica_status keep_word(struct mica_call *call, const struct word *in);
enum mica_status
keep_word(struct mica_call *call, const struct word *in)
{
    return mica_keep_put(call, &(struct mica_keep){.name = MICA_LITERAL("word")},
                         MICA_FROM(word, in));
}
""", ["KEEP_UNDECLARED"]),
    ("an example that is refused", '{"apples": 3}', '{"apples": 0}',
     ["EXAMPLE_INPUT"]),
    ("an example that is no JSON", '{"apples": 3}', '{"apples": }',
     ["BUILD_FAILED"]),
    ("a field without words", '"How many apples are ordered."', '""',
     ["FIELD_UNDESCRIBED"]),
    ("an output without words", '"Of the order, for questions about it."', '"No."',
     ["FIELD_DESCRIPTION_SIZE"]),
    ("a question without words", '"Whether to continue."', '""',
     ["FIELD_UNDESCRIBED"]),
    ("a question with few words", '"Whether to continue."', '"Sure?"',
     ["FIELD_DESCRIPTION_SIZE"]),
    ("a question that repeats its name", '"Whether to continue."',
     '"The sure sure."', ["FIELD_DESCRIPTION_EMPTY"]),
    ("a question for a day that is a text", """\
struct consent { bool sure; };
MICA_RECORD(consent, MICA_BOOLEAN(sure, "Whether to continue."));""", """\
struct consent { struct mica_text date; };
MICA_RECORD(consent, MICA_TEXT(date, "On which day it is wanted."));""",
     ["TIME_AS_TEXT"]),
    ("no title", '"Order apples"', '""', ["TITLE_FORM"]),
    ("a short description", "after asking whether that is meant, and ",
     "", ["DESCRIPTION_SIZE"]),
    ("a description that is no sentence", "charge for them once.",
     "charge for them once", ["DESCRIPTION_PUNCTUATION"]),
    ("a character that is not visible", "Continue?", "Contin\u200bue?", ["HIDDEN_UNICODE"]),
    ("a variable that nothing reads", "    struct consent consent;\n",
     "    struct consent consent;\n    int idle = 3;\n", ["COMPILER_WARNING"]),
    ("a text that is read as a C string", "MICA_TRY(mica_elicit(call, "
     'MICA_FORM(consent, &consent), "Continue?"));',
     'struct mica_text word = MICA_LITERAL("Continue?");\n'
     '    MICA_TRY(mica_elicit(call, MICA_FORM(consent, &consent), "%s", word.ptr));',
     ["TEXT_AS_STRING"]),
    ("a member that nothing fills", "struct receipt { int64_t number; };",
     "struct receipt { int64_t number; double price; };", ["MEMBER_FORGOTTEN"]),
]


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mica-check-")
        os.chmod(self.folder, 0o755)
        os.mkdir(os.path.join(self.folder, "tools"))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def check(self, text, *words):
        path = os.path.join(self.folder, "tools/order.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run(
            [OPTIONS.mica, "check", "--json", *words], cwd=self.folder, text=True,
            capture_output=True, timeout=300,
            env={**os.environ, "XDG_STATE_HOME": self.folder,
                 "MICA_INCLUDE_DIR": os.path.join(OPTIONS.source, "include")})
        return done, json.loads(done.stdout)[0]

    def test_each_rule_is_broken_alone(self):
        for what, old, new, codes in CASES:
            with self.subTest(what):
                self.assertIn(old, GOOD)
                done, report = self.check(GOOD.replace(old, new))
                found = sorted({f["code"] for f in report["findings"]})
                self.assertEqual(found, codes, report["findings"])
                self.assertEqual(done.returncode, 3 if codes else 0)
                self.assertEqual(report["ok"], not codes)

    def with_view(self, document, view, named=".view = &mica_view_order"):
        """The findings for the tool with such a view."""
        path = os.path.join(self.folder, "tools/order.html")
        if document is None:
            if os.path.exists(path):
                os.unlink(path)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(document)
        text = GOOD.replace("MICA_TOOL(order", f"MICA_VIEW(order, {view});\n\nMICA_TOOL(order")
        text = text.replace(".requires =", f"{named},\n          .requires =")
        return self.check(text)[1]["findings"]

    def test_views(self):
        inline = "<!doctype html><script>1</script><style>p{}</style>"
        remote = '<script src="https://cdn.example.com/a.js"></script>'
        declared = '.resource_domains = MICA_DOMAINS("https://cdn.example.com")'
        for what, document, view, wanted in [
                ("nothing", inline, '.file = "order.html"', []),
                ("declared", remote, f'.file = "order.html", {declared}', []),
                ("remote", remote, '.file = "order.html"', "VIEW_LOADS"),
                ("relative", '<script src="a.js"></script>', '.file = "order.html"',
                 "VIEW_LOADS"),
                ("import()", '<script type="module">await import("https://cdn.example.com/a.js")'
                 '</script>', '.file = "order.html"', "VIEW_LOADS"),
                ("an import map", '<script type="importmap">{"imports": {"a": '
                 '"https://cdn.example.com/a.js"}}</script>', '.file = "order.html"', "VIEW_LOADS"),
                ("SVG", '<svg><script href="https://cdn.example.com/a.js"/></svg>',
                 '.file = "order.html"', "VIEW_LOADS"),
                ("a worker", '<script>new Worker("https://cdn.example.com/a.js")</script>',
                 f'.file = "order.html", {declared}', "VIEW_LOADS"),
                ("@import", '<style>@import "https://cdn.example.com/a.css";</style>',
                 '.file = "order.html"', "VIEW_LOADS"),
                ("no file", None, '.file = "order.html"', "VIEW_INVALID"),
                ("a path", inline, '.file = "../order.html"', "VIEW_INVALID"),
                ("a bad domain", inline, '.file = "order.html", '
                 '.connect_domains = MICA_DOMAINS("*")', "VIEW_INVALID"),
                ("too large", "<p>" + "x" * (4 << 20), '.file = "order.html"',
                 "VIEW_INVALID")]:
            with self.subTest(what):
                found = self.with_view(document, view)
                self.assertEqual([f["code"] for f in found], [wanted] if wanted else [],
                                 found)

    def test_views_of_forms(self):
        for what, document, view, wanted in [
                ("nothing", "<p>", '.file = "order.html"', []),
                ("remote", "<script src=a.js></script>", '.file = "order.html"',
                 ["VIEW_LOADS"]),
                ("no file", None, '.file = "order.html"', ["VIEW_INVALID"])]:
            with self.subTest(what):
                found = self.with_view(document, view,
                                       ".form_views = MICA_FORM_VIEWS(&mica_view_order)")
                self.assertEqual([f["code"] for f in found], wanted, found)

    def test_a_view_that_was_good_is_read_again_when_it_changes(self):
        self.assertEqual(self.with_view("<p>", '.file = "order.html"'), [])
        found = self.with_view("<script src=a.js></script>", '.file = "order.html"')
        self.assertEqual([f["code"] for f in found], ["VIEW_LOADS"])

    def test_a_finding_in_a_form_says_where(self):
        _, report = self.check(GOOD.replace('"Whether to continue."', '""'))
        finding = report["findings"][0]
        self.assertEqual(finding["path"], "forms/consent/sure")
        self.assertEqual(finding["line"], GOOD[:GOOD.index(
            "MICA_BOOLEAN")].count("\n") + 1)

    def test_the_compiler_speaks_of_macros_in_their_words(self):
        for old, new, words in (
                ("charge(struct mica_server_call *call", "charge(struct mica_call *call",
                 "MICA_STEP: the function of a step takes `struct mica_server_call *call`"),
                ('MICA_BOOLEAN(sure, "Whether to continue."));',
                 'MICA_BOOLEAN(sure, "Whether to continue."));\n'
                 "struct address { struct mica_text mail; };\n"
                 'MICA_RECORD(address, MICA_TEXT(mail, "Where to.", .format = "email"));',
                 ".format of a field takes MICA_EMAIL, MICA_URI or MICA_UUID")):
            with self.subTest(words):
                _, report = self.check(GOOD.replace(old, new))
                finding, = report["findings"]
                self.assertIn(words, finding["message"])
                self.assertNotIn("incompatible", finding["message"])
                self.assertGreater(finding["line"], 0)

    def write_test(self, service, number=21):
        """Tests of the tool, which put a service in the place of `till` or not, and expect
        a number."""
        folder = os.path.join(self.folder, "tests/tools")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "order.c"), "w", encoding="utf-8") as file:
            file.write(TEST.replace("21", str(number)) %
                       ('mica_mock_service(mock, "till", "paper");' if service else ""))

    def test_a_step_without_a_stand_in_is_said(self):
        self.write_test(False)
        done, report = self.check(GOOD)
        self.assertEqual(done.returncode, 3)
        self.assertEqual([f["code"] for f in report["findings"]], ["STEP_WITHOUT_STAND_IN"])
        self.assertRegex(report["findings"][0]["message"],
                         r'^In "mica test" the step charge had its effect in a test without a service.*'
                         r"\(tests/tools/order\.c:11\)\.$")
        self.assertEqual(report["findings"][0]["line"],
                         GOOD[:GOOD.index("MICA_STEP(")].count("\n") + 1)
        ran = subprocess.run([OPTIONS.mica, "test", "--json"], cwd=self.folder, text=True,
                             capture_output=True, timeout=300)
        self.assertEqual(ran.returncode, 3, ran.stderr)
        test, = json.loads(ran.stdout)[0]["tests"]
        self.assertRegex(test["failures"][0]["message"],
                         "^STEP_WITHOUT_STAND_IN: the step charge had")
        self.assertIn("tests/tools/order.c:11: STEP_WITHOUT_STAND_IN: ", ran.stderr)

    def test_what_else_fails_is_said_beside_the_step(self):
        self.write_test(False, number=22)
        _, report = self.check(GOOD)
        self.assertEqual([f["code"] for f in report["findings"]],
                         ["STEP_WITHOUT_STAND_IN", "TESTS_FAILED"])

    def test_a_step_with_a_stand_in_is_good(self):
        self.write_test(True)
        done, report = self.check(GOOD.replace(
            "    (void)call;\n", '    if (mica_service(call, "till") == NULL)\n'
            "        return MICA_E_SERVICE;\n    (void)mica_now(call);\n"))
        self.assertEqual((done.returncode, report["findings"]), (0, []))

    def test_check_and_test_agree_on_what_is_an_error(self):
        self.write_test(False)
        for what, old, new, codes in CASES:
            if codes != ["BUILD_FAILED"] or "JSON" in what:
                continue
            with self.subTest(what):
                _, report = self.check(GOOD.replace(old, new))
                ran = subprocess.run([OPTIONS.mica, "test", "order"], cwd=self.folder,
                                     text=True, capture_output=True, timeout=300)
                self.assertEqual(ran.returncode, 3, ran.stderr)
                said = report["findings"][0]["message"].split("\n")[1]
                self.assertIn(said, ran.stderr)

    def test_a_tool_that_is_one_request_is_good(self):
        self.check(GOOD)
        done, report = self.check("""\
#include <mica/fetch.h>

struct pair { struct mica_text from, to; };
MICA_RECORD(pair, MICA_TEXT(from, "The currency that is sold."),
            MICA_TEXT(to, "The currency that is bought."));

struct price { double rate; };
MICA_RECORD(price, MICA_NUMBER(rate, "What one unit of it costs."));

MICA_FETCH_TOOL(order, pair, price, "https://a.example", "/rate{?from,to}",
                .title = "Exchange rate",
                .description = "Say what one unit of a currency costs in another "
                               "currency, by the rates of a server.");
""")
        self.assertEqual((done.returncode, report["findings"]), (0, []))

    def test_what_was_good_is_not_read_again(self):
        self.check(GOOD)
        path = os.path.join(self.folder, "build/tools/.check/order.json")
        before = os.stat(path).st_mtime_ns
        done, report = self.check(GOOD)
        self.assertTrue(report["ok"])
        self.assertEqual(os.stat(path).st_mtime_ns, before)
        self.check(GOOD, "--force")
        self.assertGreater(os.stat(path).st_mtime_ns, before)

    def test_a_file_and_a_name_mean_the_same(self):
        for word in ("order", "tools/order.c"):
            done, report = self.check(GOOD, word)
            self.assertEqual(report["slug"], "order")
            self.assertTrue(report["ok"], report)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--mica", required=True)
    parser.add_argument("--source", required=True)
    OPTIONS, rest = parser.parse_known_args()
    OPTIONS.mica = os.path.abspath(OPTIONS.mica)
    OPTIONS.source = os.path.abspath(OPTIONS.source)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=1)


main()
