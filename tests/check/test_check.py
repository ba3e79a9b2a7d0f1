#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_check.py MICA PART: what `mica check` finds, and that it finds nothing else.

Prints TAP. Each rule has an engine that breaks exactly it (cases.py); branches.c
marks the branches that must be reported; then come the command's own habits.
Works in a folder of its own, outside the repository, with the mica it is given.

The compilers take a second for each engine. So `first` has one case of each rule and
all the rest of this file, and `others`, which is for `make test-all`, the further cases
of the rules.
"""

import concurrent.futures
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

from cases import CASES

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "cli"))
import terminal

ROOT = HERE.parent.parent
MICA = pathlib.Path(sys.argv[1]).resolve()
PART = sys.argv[2]
BASE = (HERE / "send-parcels.c").read_text()

count = 0
failed = 0


def verdict(name, problems):
    global count, failed
    count += 1
    if not problems:
        print("ok %d - %s" % (count, name))
        return
    failed += 1
    print("not ok %d - %s" % (count, name))
    for problem in problems:
        print("#   " + str(problem).replace("\n", "\n#   "))
    sys.stdout.flush()


def mica(folder, *words, **environment):
    return subprocess.run([MICA, *words], cwd=folder, capture_output=True,
                          env={**os.environ, **environment}, timeout=1200)


def on_terminal(folder, *words, **environment):
    """The same with stdout on a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen([MICA, *words], cwd=folder, stdout=slave,
                               stderr=subprocess.PIPE,
                               env={**os.environ, "NO_COLOR": "1", **environment})
    os.close(slave)
    text = terminal.read_to_end(master)
    errors = process.communicate(timeout=1200)[1]
    return subprocess.CompletedProcess(process.args, process.returncode,
                                       text.replace(b"\r\n", b"\n"), errors)


def check(folder, *words, **environment):
    """(exit status, {slug: report}) of `mica check --json --fast`."""
    ran = mica(folder, "check", "--json", "--fast", *words, **environment)
    try:
        reports = json.loads(ran.stdout)
    except ValueError:
        print("# no JSON: %r %r" % (ran.stdout[-500:], ran.stderr[-500:]))
        raise
    return ran.returncode, {report["slug"]: report for report in reports}


def write(folder, slug, text):
    engines = pathlib.Path(folder, "engines")
    engines.mkdir(exist_ok=True)
    (engines / (slug + ".c")).write_text(text)


# ---- Rules -------------------------------------------------------------------


def changed(edits):
    text = BASE
    for old, new in edits:
        assert old in text, "not in send-parcels.c any more: " + old
        text = text.replace(old, new, 1)
    return text


def matches(finding, wanted):
    code, path, words = wanted
    return (code in ("*", finding["code"]) and words in finding["message"] and
            path in (None, finding["path"]))


def compare(findings, wanted):
    """What is found and not wanted, or wanted and not found."""
    problems = ["missing: %s %s '%s'" % want for want in wanted
                if want[0] != "*" and not any(matches(f, want) for f in findings)]
    problems += ["not wanted: " + json.dumps(finding) for finding in findings
                 if not any(matches(finding, want) for want in wanted)]
    return problems


def first_cases():
    """The numbers of the cases that show a code which none before them shows; the first
    of all shows that there may be none."""
    seen, numbers = set(), []
    for number, (_, _, wanted) in enumerate(CASES):
        codes = {code for code, _, _ in wanted} or {"none"}
        if codes - seen:
            numbers.append(number)
        seen |= codes
    return numbers


def cases_of_part():
    first = first_cases()
    return [number for number in range(len(CASES))
            if (number in first) == (PART == "first")]


def check_cases(numbers):
    """{slug: report} of the cases, in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="mica-check-") as folder:
        for number in numbers:
            slug = "case-%d" % number
            write(folder, slug,
                  changed(CASES[number][1]).replace("send_parcels", slug.replace("-", "_")))
        # No page opens these engines: without the JavaScript fallback, which no rule
        # is about, they build in two thirds of the time. No two are the same: keys for
        # a cache, which take a tenth of it, would find nothing.
        status, reports = check(folder, MICA_WASM2JS="/nonexistent/wasm2js",
                                MICA_CACHE="off")
        return status, reports


def test_rules(_):
    # Most of the time goes into compilers: one worker for each processor.
    workers = min(4, os.cpu_count() or 1)
    numbers = cases_of_part()
    shares = [numbers[first::workers] for first in range(workers)]
    reports, statuses = {}, set()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for status, part in pool.map(check_cases, shares):
            statuses.add(status)
            reports.update(part)
    for number in numbers:
        name, _, wanted = CASES[number]
        report = reports["case-%d" % number]
        problems = compare(report["findings"], wanted)
        if report["ok"] != (not report["findings"]):
            problems.append("ok is %s" % report["ok"])
        verdict(name, problems)
    verdict("findings give exit status 3", [] if statuses == {3} else [statuses])
    shown = [f for r in reports.values() for f in r["findings"]]
    verdict("every message ends a sentence or shows what a compiler said",
            [f for f in shown if "\n" not in f["message"] and f["code"] != "TABLE_INVALID"
             and not re.search(r"[.!?)}\]';]$|Input: ", f["message"])])


def test_names(folder):
    wrong = ["Shout", "two--dashes", "under_score", "ends-", "x" * 65]
    for slug in wrong:
        write(folder, slug, BASE)
    _, reports = check(folder)
    for slug in wrong:
        verdict("'%.20s' is no slug" % slug, compare(
            reports[slug]["findings"], [("SLUG_FORM", "", "is no name of an engine")]))


def test_odd_bytes(folder):
    engines = pathlib.Path(folder, "engines")
    engines.mkdir()
    (engines / "latin.c").write_bytes(
        BASE.replace("send_parcels", "latin").replace("parcels travel", "p\xe4ckchen").encode("latin-1"))
    (engines / "empty.c").write_bytes(b"")
    (engines / "open.c").write_bytes(b"#include <mica/engine.h>\nMICA_ENGINE(open, (\"")
    _, reports = check(folder)
    verdict("a source that is not UTF-8", compare(
        reports["latin"]["findings"], [("BUILD_FAILED", "", "not UTF-8")]))
    verdict("an empty source", compare(
        reports["empty"]["findings"], [("ENGINE_COUNT", "", "no MICA_ENGINE")]))
    verdict("a source that ends inside a bracket", compare(
        reports["open"]["findings"], [("BUILD_FAILED", None, "")]))


# ---- Branches ----------------------------------------------------------------

WORDS = {"makes true": "true", "makes false": "false", "reaches": "reaches",
         "selects": "case"}


def test_branches(folder):
    text = (HERE / "branches.c").read_text()
    write(folder, "branches", text)
    _, reports = check(folder, "--random", "0")
    wanted = {(number, mark.group(1))
              for number, line in enumerate(text.split("\n"), 1)
              for mark in [re.search(r"// untested: (\w+)", line)] if mark}
    found = set()
    other = []
    for finding in reports["branches"]["findings"]:
        words = re.match(r"No example (makes true|makes false|reaches|selects) ",
                         finding["message"])
        if words and finding["code"] in ("BRANCH_UNTESTED", "CASE_UNTESTED"):
            found.add((finding["line"], WORDS[words.group(1)]))
        else:
            other.append(finding)
    verdict("exactly the branches without an example are reported",
            ["missing: line %d, %s" % want for want in sorted(wanted - found)] +
            ["not wanted: line %d, %s" % want for want in sorted(found - wanted)] + other)
    coverage = reports["branches"]["coverage"]
    missed = sum({"reaches": 2}.get(kind, 1) for _, kind in wanted)
    verdict("the count of branches is that of the findings",
            [] if coverage["total"] - coverage["covered"] == missed else [coverage, missed])


# ---- The command ---------------------------------------------------------------


def test_habits(folder):
    write(folder, "send-parcels", BASE)
    ran = on_terminal(folder, "check", "--fast")
    verdict("a good engine gives a tick, a summary and exit status 0",
            [] if ran.returncode == 0 and re.fullmatch(
                "✓ send-parcels  6 of 6 branches  \\d+ KiB  \\d+ random inputs\n1 engine checked, all good\n",
                ran.stdout.decode()) else [ran])
    ran = on_terminal(folder, "check", "--fast")
    verdict("what has not changed is not checked again",
            [] if b"unchanged" in ran.stdout else [ran])
    status, again = check(folder)
    verdict("a remembered report has all that the first had",
            [] if status == 0 and again["send-parcels"]["coverage"] == {"covered": 6, "total": 6}
            and again["send-parcels"]["module"]["bytes"] > 1000
            and again["send-parcels"]["input_schema"]["bytes"] > 300 else [again])
    ran = on_terminal(folder, "check", "--fast", "--force")
    verdict("--force checks it again", [] if b"unchanged" not in ran.stdout else [ran])
    write(folder, "send-parcels", BASE.replace("2026-11-22", "2026-11-23"))
    ran = on_terminal(folder, "check", "--fast", "send-parcels")
    text = ran.stdout.decode()
    verdict("what has changed is, and a finding shows code, place and message",
            [] if ran.returncode == 3 and text.startswith("✗ send-parcels")
            and re.search(r"\n  EXAMPLE_FAILED  engines/send-parcels.c:\d+  examples/1\n    Expected", text)
            and b"CHECK_FAILED: 1 of 1 engine is not done yet" in ran.stderr else [ran])
    verdict("no color where none is wanted", [] if "\x1b" not in text else [text])
    ran = mica(folder, "check", "engines/send-parcels.c", "--fast")
    verdict("an engine can be named by its file", [] if ran.returncode == 3 else [ran])
    ran = mica(folder, "check", "parcels")
    verdict("an engine that does not exist is named, exit status 4",
            [] if ran.returncode == 4 and b'there is no tool "parcels"' in ran.stderr else [ran])
    left = sorted(path.name for path in pathlib.Path(folder, "build", "engines").iterdir()
                  if path.name.startswith(".build"))
    verdict("nothing half-made stays behind", left)


def test_scaffold(folder):
    made = mica(folder, "new", "my-first-tool")
    status, reports = check(folder, "my-first-tool")
    verdict("what `mica new` writes passes",
            [] if made.returncode == 0 and status == 0 else [made, reports])


def test_page(folder):
    """The page beside an engine, which is looked at again when it changes."""
    write(folder, "send-parcels", BASE)
    page = pathlib.Path(folder, "engines", "send-parcels.html")
    for text, wanted in [
            ('<script type="module">import e from "/engines/send-parcels.js";</script>', []),
            ('<script type="module">const price = 3 * 4;</script>',
             [("PAGE_APART", "", "/engines/send-parcels.js")])]:
        page.write_text(text)
        _, reports = check(folder)
        verdict("a page that %s its engine" % ("leaves out" if wanted else "imports"),
                compare(reports["send-parcels"]["findings"], wanted))
    page.write_text("".join(f"<style>p{n} {{}}</style>" for n in range(40)))
    ran = mica(folder, "build")
    verdict("a page whose policy would not fit a header is not built",
            [] if ran.returncode != 0 and b"too many scripts and styles" in ran.stderr
            else [ran])


def test_missing_tools(folder):
    write(folder, "send-parcels", BASE)
    for variable, words in [("MICA_LLVM_COV", "llvm-14"), ("MICA_LLVM_PROFDATA", "llvm-14"),
                            ("MICA_PROBE_ARCHIVE", "native build")]:
        status, reports = check(folder, **{variable: "/nowhere/" + variable})
        verdict("without %s the check says what to install" % variable,
                [] if status == 3 and not compare(
                    reports["send-parcels"]["findings"], [("TOOL_MISSING", "", words)])
                else [reports])


def test_parts_of_another_version(folder):
    """libmica-probe.a of an earlier build than the headers."""
    archive = pathlib.Path(folder, "libmica-probe.a")
    shutil.copy(MICA.parent / "lib" / "libmica-probe.a", archive)
    environment = {"MICA_PROBE_ARCHIVE": str(archive)}
    wide = BASE.replace(
        "out->count = (int64_t)in->parcels.count;",
        "out->count = (int64_t)in->parcels.count + (int64_t)sizeof(long) - 4;")
    write(folder, "send-parcels", BASE)
    os.utime(archive, (0, 0))
    status, reports = check(folder, **environment)
    verdict("parts that are older and fit all the same do no harm",
            [] if status == 0 else [reports])
    write(folder, "send-parcels", wide)
    _, reports = check(folder, **environment)
    found = {f["code"]: f["message"] for f in reports["send-parcels"]["findings"]}
    verdict("where native and module differ, parts that are older are named",
            [] if "NATIVE_DIFFERS" in found and
            "is older than" in found.get("TOOL_MISSING", "") else [found])
    write(folder, "send-parcels", BASE)
    object = next(name for name in subprocess.run(
        ["ar", "t", archive], capture_output=True, text=True).stdout.split()
        if name.endswith("base_calendar.c.o"))
    subprocess.run(["ar", "d", archive, object], check=True)
    _, reports = check(folder, "--force", **environment)
    verdict("parts that lack what the headers declare are named, not the engine",
            compare(reports["send-parcels"]["findings"],
                    [("TOOL_MISSING", "", "Build mica again")]))


def test_random(folder):
    fragile = BASE.replace("send_parcels", "fragile").replace(
        "    int64_t days = in->seed % 2;\n",
        "    int64_t days = in->seed % 2;\n\n    days += 7 / (in->seed - 3) * 0;\n")
    vague = BASE.replace("send_parcels", "vague").replace(
        '"TOO_LATE", "posted"', 'in->parcels.count > 1 ? mica_format(call, "_LATE").ptr : "TOO_LATE", "posted"')
    wide = BASE.replace("send_parcels", "wide").replace(
        "out->count = (int64_t)in->parcels.count;",
        "out->count = (int64_t)in->parcels.count + (in->seed > 100 ? (int64_t)sizeof(long) : 0);")
    for slug, text in (("fragile", fragile), ("vague", vague), ("wide", wide),
                       ("send-parcels", BASE)):
        write(folder, slug, text)
    status, reports = check(folder, "--random", "4000", "--seed", "7")
    first = {slug: report["findings"] for slug, report in reports.items()}
    verdict("random inputs find a fault that no example shows",
            [] if any(f["code"] == "ENGINE_FAULT" and '"seed":3' in f["message"]
                      for f in first["fragile"]) else [first["fragile"]])
    calls = [re.search(r"See it: mica call fragile --json '(.*)'$", f["message"])
             for f in first["fragile"] if f["path"] == "random"]
    verdict("the input is made as small as it can be, and shown as one command",
            [] if len(calls) == 1 and calls[0] and
            {**json.loads(calls[0].group(1)), "speed": 0, "posted": 0} ==
            {"speed": 0, "posted": 0, "parcels": [], "seed": 3} else [first["fragile"]])
    ran = mica(folder, *calls[0].group(0)[len("See it: mica "):].replace("'", "").split(" ", 3))
    verdict("which shows the fault",
            [] if ran.returncode == 1 and b"EXECUTION_ERROR" in ran.stderr else [ran])
    verdict("random inputs find a difference that no example shows",
            [] if any(f["code"] == "NATIVE_DIFFERS" and f["path"] == "random"
                      for f in first["wide"]) else [first["wide"]])
    verdict("random inputs find a code that no reading shows",
            [] if any(f["code"] == "FAILURE_CODE" and f["path"] == "random"
                      for f in first["vague"]) else [first["vague"]])
    verdict("an engine that holds has run them all",
            [] if reports["send-parcels"]["ok"] and
            reports["send-parcels"]["random"]["runs"] == 4000 else [reports["send-parcels"]])
    status, usual = check(folder, "fragile", "send-parcels", "--force")
    verdict("random inputs are part of each check, 200 of them",
            [] if 0 < usual["send-parcels"]["random"]["runs"] <= 200 and
            any(f["path"] == "random" for f in usual["fragile"]["findings"]) else [usual])
    _, none = check(folder, "fragile", "--random", "0")
    verdict("--random 0 leaves them out",
            [] if "random" not in none["fragile"] and
            not any(f["path"] == "random" for f in none["fragile"]["findings"]) else [none])
    _, again = check(folder, "--random", "4000", "--seed", "7")
    verdict("the same seed gives the same findings",
            [] if {slug: report["findings"] for slug, report in again.items()} == first
            else [again])


# ---- The native child --------------------------------------------------------------

# Runs before main, natively alone: the words that ask for the machine are put
# together, so that the rule for them sees none. What it could do shows as another
# answer than the module's.
SNEAK = """#define JOINED(a, b) a##b
#if JOINED(__x86_, 64__) || JOINED(__aarch, 64__)
int open(const char *, int, ...);
int socket(int, int, int);
int system(const char *);
long write(int, const void *, unsigned long);
static volatile int sneaked;
__attribute__((constructor)) static void sneak(void)
{
    sneaked = %s;
    (void)write(2, "SNEAKED", 7);
}
#else
enum { sneaked = 0 };
#endif
struct input"""
SNEAK_TRIES = ('open("/etc/passwd", 0) >= 0 || socket(2, 1, 0) >= 0 || '
               'open("%s/owned", 0101, 0644) >= 0 || system("true") == 0')


def test_native(folder):
    engines = pathlib.Path(folder, "engines")
    engines.mkdir()
    for what, tried, differs in (("does what it wants", "1", True),
                                 ("reaches nothing", SNEAK_TRIES % folder, False)):
        source = BASE.replace("struct input", SNEAK % tried, 1).replace(
            "in->seed % 2;", "in->seed % 2 + sneaked;", 1)
        (engines / "send-parcels.c").write_text(source)
        ran = mica(folder, "check", "--json", "--fast")
        codes = [finding["code"] for report in json.loads(ran.stdout)
                 for finding in report["findings"]]
        problems = []
        if ("NATIVE_DIFFERS" in codes) != differs:
            problems.append(codes)
        if "BUILD_FAILED" in codes or "IMPURE_ENGINE" in codes:
            problems.append(ran.stdout)
        if pathlib.Path(folder, "owned").exists():
            problems.append("it made a file")
        if b"SNEAKED" in ran.stderr + ran.stdout:
            problems.append("it wrote to the terminal")
        verdict("a constructor of the native engine " + what, problems)


# ---- The documentation -----------------------------------------------------------


def test_documentation():
    table = (ROOT / "src/check/rules.h").read_text()
    rules = re.findall(r"X\(([A-Z_]+),", table)
    page = (ROOT / "docs/check.md").read_text()
    explained = re.findall(r"^### ([A-Z_]+)$", page, re.M)
    verdict("docs/check.md explains each rule, in order",
            [] if explained == rules else [set(rules) ^ set(explained) or "another order"])
    tested = {want[0] for _, _, wanted in CASES for want in wanted}
    # test_names, test_missing_tools, test_page
    tested |= {"SLUG_FORM", "TOOL_MISSING", "PAGE_APART"}
    # tests/check/test_tools.py
    tested |= {"FORM_INVALID", "STEP_UNDECLARED", "STEP_UNUSED", "FETCH_UNDECLARED",
               "KEEP_UNDECLARED", "EXAMPLE_INPUT", "VIEW_INVALID", "VIEW_LOADS"}
    tested |= {"STEP_WITHOUT_STAND_IN"}
    tested |= {"TESTS_FAILED"}  # in tests/cli/converse.py
    tested |= {"APP_INVALID", "APP_WARNING"}  # in tests/cli/app_folder.py
    tested |= {"PROMPT_INVALID", "RESOURCES_INVALID"}  # in tests/cli/prompts.py
    verdict("each rule has an engine that breaks it", sorted(set(rules) - tested))


def in_a_folder(test):
    folder = tempfile.mkdtemp(prefix="mica-check-")
    try:
        test(folder)
    except Exception as problem:  # the other tests still run
        verdict(test.__name__, [repr(problem)])
    finally:
        shutil.rmtree(folder)


state = tempfile.TemporaryDirectory(prefix="mica-state-")
os.environ["XDG_STATE_HOME"] = state.name  # the key of what these tests build
os.environ["MICA_CACHE"] = os.path.join(state.name, "cache")
if PART not in ("first", "others"):
    sys.exit("test_check.py MICA first|others")
in_a_folder(test_rules)
if PART == "first":
    for test in (test_names, test_odd_bytes, test_branches, test_habits, test_scaffold,
                 test_page, test_missing_tools, test_parts_of_another_version,
                 test_random, test_native):
        in_a_folder(test)
    test_documentation()
print("1..%d" % count)
sys.exit(1 if failed else 0)
