# SPDX-License-Identifier: Apache-2.0
"""Texts in csv-parser and text-statistics: ends of lines, byte order marks, and the
bounds of words and sentences.

    python3 texts_test.py --mica build/mica --cases tests/spec/segments/cases.txt

Random tables are written in every form that spreadsheets write, and have to come back
as they were; Python's csv module reads each of them, too.
"""
import argparse
import csv
import io
import json
import random
import subprocess
import unicodedata
import unittest

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}
MARK = "\ufeff"
ENDS = ("\n", "\r\n", "\r")
PIECES = ("a", "1", "ü", " ", '"', ",", "\n", "\r", "\r\n", MARK)
OPTIONS = None


def answers(calls):
    """What the engines say of (name, arguments), by one process."""
    requests = "".join(json.dumps({
        "jsonrpc": "2.0", "id": index, "method": "tools/call",
        "params": {"name": name, "arguments": arguments, "_meta": META}}) + "\n"
        for index, (name, arguments) in enumerate(calls))
    done = subprocess.run([OPTIONS.mica, "stdio", "--built-in"], input=requests,
                          text=True, capture_output=True, check=True, timeout=500)
    found = {}
    for line in done.stdout.splitlines():
        message = json.loads(line)
        found[message["id"]] = message["result"]
    return [found[index] for index in range(len(calls))]


def written(cell, quoted):
    if quoted or any(sign in cell for sign in '",\r\n'):
        return '"%s"' % cell.replace('"', '""')
    return cell


def table(source):
    width = source.randrange(1, 5)
    rows = [["".join(source.choices(PIECES, k=source.choice((0, 1, 1, 2, 4))))
             for _ in range(width)] for _ in range(source.randrange(1, 6))]
    ends = source.choice((ENDS, ENDS[:1], ENDS[1:2], ENDS[2:]))
    # Without quotes a mark at the very beginning is no part of the text.
    lines = [",".join(written(cell, source.random() < 0.3 or width == 1 or
                              cell.startswith(MARK)) for cell in row) for row in rows]
    text = "".join(line + source.choice(ends) for line in lines)
    return rows, source.choice(("", MARK)) + text


class Lines(unittest.TestCase):
    def test_tables_come_back_as_they_were(self):
        source = random.Random(29)
        tables = [table(source) for _ in range(3000)]
        found = answers([("csv-parser", {"csv": text, "header": False})
                         for _, text in tables])
        for (rows, text), result in zip(tables, found):
            again = csv.reader(io.StringIO(text.removeprefix(MARK), newline=""))
            self.assertEqual([row for row in again if row], rows, repr(text))
            self.assertFalse(result.get("isError"), (text, result))
            self.assertEqual(result["structuredContent"]["rows"], rows, repr(text))

    def test_a_byte_order_mark_is_no_part_of_a_name(self):
        one, two = answers([("csv-parser", {"csv": MARK + "id,x\r1,2"}),
                            ("csv-parser", {"csv": MARK})])
        self.assertEqual(one["structuredContent"]["columns"][0]["name"], "id")
        self.assertEqual(two["structuredContent"]["columns"], [])

    def test_errors_name_the_line_whatever_ends_it(self):
        for end in ENDS:
            text = "a,b%s\"x%sy\",2%s%s3%s" % ((end,) * 5)
            result, = answers([("csv-parser", {"csv": text})])
            self.assertIn("line 5 of csv", result["content"][0]["text"])

    def test_lines_of_a_text_end_in_any_way(self):
        for text, lines, paragraphs in (
                ("a\rb", 2, 1), ("a\r\nb\r\n", 2, 1), ("a\nb\n", 2, 1), ("\r", 1, 0),
                ("a\r\rb", 3, 2), ("a\r\n\r\nb", 3, 2), ("a\n\rb", 3, 2), ("a\r\nb\rc\nd", 4, 1)):
            result, = answers([("text-statistics", {"text": text})])
            self.assertEqual((result["structuredContent"]["lines"],
                              result["structuredContent"]["paragraphs"]),
                             (lines, paragraphs), repr(text))


class Segments(unittest.TestCase):
    """The cases of UAX #29 inside of the module; tests/unit/test_base_segment.c has
    where the bounds are."""

    def check(self, kind, counted):
        cases = []
        with open(OPTIONS.cases, encoding="utf-8") as file:
            for line in file:
                if line.startswith(kind + " "):
                    parts = line.split(None, 1)[1].split("|")
                    cases.append(["".join(chr(int(code, 16)) for code in part.split())
                                  for part in parts if part.strip()])
        self.assertGreater(len(cases), 500)
        found = answers([("text-statistics", {"text": "".join(case)})
                         for case in cases])
        for case, result in zip(cases, found):
            wanted = sum(any(unicodedata.category(sign)[0] == "L" or
                             unicodedata.category(sign) in ("Nd", "Nl")
                             for sign in part) for part in case)
            self.assertEqual(result["structuredContent"][counted], wanted, ascii(case))

    def test_words(self):
        self.check("word", "words")

    def test_sentences(self):
        self.check("sentence", "sentences")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--mica", required=True)
    parser.add_argument("--cases", required=True)
    OPTIONS = parser.parse_args()
    unittest.main(argv=["texts_test.py"], verbosity=2)
