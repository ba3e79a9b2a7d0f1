#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/spec/segments/cases.txt from the test files of UAX #29.

    python3 tests/spec/segments/make.py [FOLDER] > tests/spec/segments/cases.txt

FOLDER has the files of the Unicode Character Database; Debian's package
unicode-data puts them into /usr/share/unicode. A line is "word" or "sentence" and
the code points, "|" where there is a bound.
"""
import re
import sys


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode"
    for kind in ("Word", "Sentence"):
        path = "%s/auxiliary/%sBreakTest.txt" % (folder, kind)
        with open(path, encoding="utf-8") as file:
            first = file.readline()
            print("# %s, %s" % (re.match(r"# (\S+)\.txt", first)[1],
                                "© Unicode, Inc.; https://www.unicode.org/terms_of_use.html"))
            for line in file:
                case = line.split("#")[0].split()
                if case:
                    print(kind.lower(), *[{"÷": "|", "×": ""}.get(word, word)
                                          for word in case if word != "×"])


if __name__ == "__main__":
    main()
