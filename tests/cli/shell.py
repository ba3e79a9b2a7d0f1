# SPDX-License-Identifier: Apache-2.0
"""What is written from the table of commands: manual pages and completions, tried
in the shells themselves.

    python3 shell.py --mica build/mica
"""

import json
import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

import alone
import cli


class Manuals(cli.Case):
    def commands(self):
        return re.findall(r"(?m)^  (\w+) +[A-Z]", self.mica("help").stdout)

    def test_every_command_has_a_page_that_readers_take(self):
        self.mica("help", "--man", "--out", "man")
        pages = sorted(os.listdir(os.path.join(self.folder, "man")))
        self.assertEqual(pages, sorted(
            ["mica.1"] + [f"mica-{name}.1" for name in self.commands()]))
        for page in pages:
            path = os.path.join(self.folder, "man", page)
            said = subprocess.run(["mandoc", "-Tlint", "-W", "warning", path],
                                  capture_output=True, text=True,
                                  check=False).stdout
            # A page says its version, not the day on which it was written.
            said = re.sub(r"(?m)^.*WARNING: missing date.*\n", "", said)
            self.assertEqual(said, "")

    def test_a_page_says_what_help_says(self):
        for name in self.commands():
            page = self.mica("help", name, "--man").stdout
            text = subprocess.run(["mandoc", "-Tutf8"], input=page, text=True,
                                  capture_output=True, check=True).stdout
            text = re.sub(".\x08", "", text)  # bold and underlined
            for option in re.findall(r"(?m)^  (--\S+)",
                                     self.mica("help", name).stdout):
                self.assertIn(option, text)
            self.assertIn(f"mica {name}", text)
        self.assertIn("wrong input",
                      self.mica("help", "--man").stdout)

    def test_what_does_not_go_together_is_refused(self):
        self.complaint("USAGE", "help", "--out", "man", exit=2)
        self.assertEqual(os.listdir(self.folder), [])


class Completions(cli.Case):
    def setUp(self):
        super().setUp()
        self.scripts = os.path.join(self.folder, "scripts")
        os.makedirs(self.scripts)
        for shell, name in (("bash", "mica"), ("zsh", "_mica"),
                            ("fish", "mica.fish")):
            self.write(f"scripts/{name}", self.mica("completions", shell).stdout)
        self.path = os.path.dirname(os.path.abspath(cli.OPTIONS.mica))

    def run_shell(self, *words, **more):
        environment = {**os.environ, "HOME": self.folder,
                       "PATH": self.path + ":" + os.environ["PATH"]}
        return subprocess.run(words, cwd=self.folder, text=True, check=True,
                              capture_output=True, env=environment,
                              **more).stdout.split()

    def bash(self, *words):
        line = " ".join(f"'{word}'" for word in words)
        return self.run_shell("bash", "--norc", "-c", f"""
            source scripts/mica || exit 1
            COMP_WORDS=({line}) COMP_CWORD={len(words) - 1}
            COMP_LINE="${{COMP_WORDS[*]}}" COMP_POINT=${{#COMP_LINE}}
            _mica
            printf '%s\\n' "${{COMPREPLY[@]}}" """)

    def typed(self, line):
        """What a line of an interactive bash becomes by a tab."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.environ.update(HOME=self.folder, TERM="dumb", PS1="", INPUTRC="/dev/null",
                              PATH=self.path + ":" + os.environ["PATH"])
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        self.addCleanup(os.close, terminal)
        self.addCleanup(os.waitpid, pid, 0)
        os.write(terminal, b"PS1=; source scripts/mica; bind 'set bell-style none'; "
                           b"echo rea''dy\n")
        self.read_until(terminal, b"ready\r\n")
        os.write(terminal, line.encode() + b"\t")
        # What readline shows is done when the next key is: one that asks for the line.
        os.write(terminal, b"\x01printf '<%s>' \x05 end; exit\n")
        seen = self.read_until(terminal, b"<end>")
        words = re.findall(r"<([^>]*)>", seen.decode())
        return [word for word in words if word != "%s"][:-1]

    def read_until(self, terminal, wanted):
        seen, until = b"", time.monotonic() + cli.OPTIONS.patience
        while wanted not in seen and time.monotonic() < until:
            ready, _, _ = select.select([terminal], [], [], 1)
            if ready:
                try:
                    seen += os.read(terminal, 65536)
                except OSError:
                    break
        self.assertIn(wanted, seen)
        return seen

    def fish(self, line):
        return [word.split("\t")[0] for word in "\n".join(
            self.run_shell("fish", "--no-config", "-c",
                           f"source scripts/mica.fish; complete -C '{line}' "
                           "| string replace -r '\\t.*' ''; true")).split()]

    def zsh(self, line, *wanted):
        """What is offered, by a terminal in a terminal; read until all `wanted` is there, as
        what is typed comes back long before."""
        found = " && ".join(f"[[ $plain == *{word}* ]]" for word in wanted)
        return [re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", word)
                for word in self.run_shell("zsh", "-f", "-c", f"""
            zmodload zsh/zpty
            setopt extendedglob
            zpty inner zsh -f -i
            zpty -w inner "PS1= PROMPT= ; fpath=({self.scripts} \\$fpath)"
            zpty -w inner "autoload -Uz compinit && compinit -u -D"
            zpty -w inner "LISTMAX=1000 COLUMNS=200 LINES=100"
            zpty -w inner "zstyle ':completion:*' list-prompt ''"
            zpty -w inner "print begin''ning"
            until [[ $seen == *beginning* ]]; do
                zpty -r inner part || exit 1; seen+=$part
            done
            zpty -w -n inner $'{line}\\t\\t'
            seen= part=
            for try in {{1..300}}; do
                sleep 0.1
                while zpty -r -t inner part; do seen+=$part; done
                plain=${{seen//$'\e['[0-9;?]#[a-zA-Z]}}
                {found} && break
            done
            sleep 0.5
            while zpty -r -t inner part; do seen+=$part; done
            zpty -d inner
            print -r -- $seen""")]

    def test_bash_completes_commands_options_and_values(self):
        self.assertEqual(self.bash("mica", "se"), ["serve"])
        self.assertEqual(self.bash("mica", "serve", "--lis"), ["--listen"])
        self.assertEqual(self.bash("mica", "serve", "--sessions", "o"),
                         ["on", "off"])
        self.assertEqual(self.bash("mica", "completions", "z"), ["zsh"])
        self.assertEqual(self.bash("mica", "call", "percent"),
                         ["percentage-calculator"])
        self.write("a-file.c", "")
        self.assertIn("a-file.c", self.bash("mica", "build", "a-"))
        self.assertIn("a-file.c", self.bash("mica", "serve", "--auth", "a-"))
        self.assertEqual(self.bash("mica", "serve", "--listen", ""), [])

    def apps(self):
        self.write("mica.toml", '[store]\nlocation = "sqlite:apps.db"\n')
        for name in ("Order status", "Order help", "Weather"):
            self.mica("app", "new", name)
        self.mica("collection", "new", "Front desk", "weather")

    def test_bash_completes_the_slugs_of_apps(self):
        self.apps()
        self.assertEqual(self.mica("collection", "list", "--slugs").stdout, "front-desk\n")
        self.assertEqual(self.bash("mica", "collection", "show", ""), ["front-desk"])
        self.assertEqual(self.mica("app", "list", "--slugs").stdout.split(),
                         ["order-status", "order-help", "weather"])
        self.assertEqual(self.bash("mica", "app", "publ"), ["publish"])
        for word in ("edit", "publish", "show", "diff"):
            self.assertEqual(self.bash("mica", "app", word, "order-"),
                             ["order-status", "order-help"], word)
        for words in (["new", ""], ["list", ""], ["layouts", ""], ["edit", "weather", ""]):
            self.assertEqual(self.bash("mica", "app", *words), [], words)
        both = self.mica("app", "list", "--slugs", "--json", exit=2)
        self.assertIn("leave one", json.loads(both.stdout)["error"]["message"])

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish_completes_the_slugs_of_apps(self):
        self.apps()
        self.assertEqual(sorted(self.fish("mica app edit order-")),
                         ["order-help", "order-status"])
        self.assertEqual(self.fish("mica collection add "), ["front-desk"])
        self.assertEqual(self.fish("mica app publ"), ["publish"])
        self.assertEqual(self.fish("mica app new "), [])

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_completes_the_slugs_of_apps(self):
        self.apps()
        seen = self.zsh("mica app publish order-", "order-help", "order-status")
        self.assertTrue({"order-help", "order-status"} <= set(seen), seen)
        self.assertNotIn("weather", seen)
        self.assertIn("front-desk", " ".join(
            self.zsh("mica collection show fron", "front-desk")))

    def test_names_are_those_of_the_folder_and_nothing_is_built(self):
        self.write("engines/some-engine.c", "not C at all")
        self.write("tools/some_tool.c", "neither")
        self.assertEqual(self.mica("completions", "names").stdout,
                         "some-engine\nsome_tool\n")
        self.assertEqual(self.bash("mica", "describe", "some-"), ["some-engine"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "build")))

    def test_a_file_whose_name_is_a_command_is_not_run_by_a_tab(self):
        # bash expands the words that it is offered.
        for folder in ("engines", "tools"):
            self.write(f"{folder}/$(touch ran).c", "not C at all")
            self.write(f"{folder}/`touch ran`.c", "not C at all")
            self.write(f"{folder}/some-{folder}.c", "not C at all")
        self.assertEqual(self.mica("completions", "names").stdout,
                         "some-engines\nsome-tools\n")
        self.assertEqual(self.bash("mica", "call", ""),
                         ["some-engines", "some-tools"])
        self.assertNotIn("ran", os.listdir(self.folder))

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish_completes_commands_options_and_values(self):
        self.assertEqual(self.fish("mica se"), ["serve"])
        self.assertEqual(self.fish("mica serve --lis"), ["--listen"])
        self.assertEqual(sorted(self.fish("mica serve --sessions o")),
                         ["off", "on"])
        self.assertEqual(self.fish("mica call percent"),
                         ["percentage-calculator"])

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_completes_commands_options_and_values(self):
        self.assertIn("serve", self.zsh("mica se", "serve"))
        self.assertIn("--listen", self.zsh("mica serve --lis", "--listen"))
        self.assertIn("percentage-calculator",
                      self.zsh("mica call percent", "percentage-calculator"))

    FIELDS = ["mode=", "a=", "b=", "precision="]
    MODES = ["mode=of", "mode=ratio", "mode=change"]

    CHOOSING = """\
#include <mica/engine.h>

enum mode { PLAIN, RUN };
MICA_CHOICES(mode, [PLAIN] = "plain", [RUN] = "$(touch ran)");

struct inner { bool yes; };
MICA_RECORD(inner, MICA_BOOLEAN(yes, "Whether to."));

struct input { enum mode mode; struct inner inner; };
MICA_RECORD(input, MICA_CHOICE(mode, mode, "Which of them."),
            MICA_NESTED(inner, inner, "What is inside."));

struct output { bool yes; };
MICA_RECORD(output, MICA_BOOLEAN(yes, "Whether it did."));

static enum mica_status
calculate(struct mica_call *call, const struct input *in, struct output *out)
{
    (void)call;
    out->yes = in->inner.yes && in->mode == RUN;
    return MICA_OK;
}

MICA_ENGINE(choosing, input, output, calculate, .title = "Choosing",
            .description = "Says yes or no.", .category = "math",
            .examples = MICA_EXAMPLES(
                {"no", MICA_JSON({"mode": "plain", "inner": {"yes": true}}),
                 MICA_JSON({"yes": false})}));
"""

    def fields(self, *words):
        return self.mica("completions", "fields", *words).stdout.splitlines()

    def test_fields_of_a_tool_and_their_choices_are_offered(self):
        tool = "percentage-calculator"
        self.assertEqual(self.fields(tool), self.FIELDS)
        self.assertEqual(self.fields(tool, "mo"), ["mode="])
        self.assertEqual(self.fields(tool, "mode="), self.MODES)
        self.assertEqual(self.fields(tool, "mode=r"), ["mode=ratio"])
        self.assertEqual(self.fields(tool, "a="), [])
        self.assertEqual(self.fields(tool, "zz"), [])
        self.complaint("NOT_FOUND", "completions", "fields", "none", exit=4)

    def test_fields_are_those_of_what_is_built(self):
        self.mica("new", "some-engine", *cli.AREA)
        self.complaint("NOT_FOUND", "completions", "fields", "some-engine", exit=4)
        self.mica("new", "--interactive", "some_tool")
        self.mica("build", "--fast")
        self.assertEqual(self.fields("some-engine"), ["length=", "width=", "unit="])
        self.assertEqual(self.fields("some_tool"), ["name="])

    def test_a_schema_of_elsewhere_is_offered_and_not_run(self):
        self.write("engines/choosing.c", self.CHOOSING)
        self.mica("build", "--fast")
        self.assertEqual(self.fields("choosing"), ["mode=", "inner.yes="])
        self.assertEqual(self.fields("choosing", "inner.yes="),
                         ["inner.yes=true", "inner.yes=false"])
        self.assertEqual(self.fields("choosing", "mode="),
                         ["mode=plain", "mode=$(touch ran)"])
        self.assertEqual(self.typed("mica call choosing mode=$"),
                         ["mica", "call", "choosing", "mode=$(touch ran)"])
        self.assertNotIn("ran", os.listdir(self.folder))

    def test_bash_completes_fields_choices_and_files(self):
        call = ("mica", "call", "percentage-calculator")
        self.assertEqual(self.bash(*call, ""), self.FIELDS)
        self.assertEqual(self.bash(*call, "mo"), ["mode="])
        self.assertEqual(self.bash(*call, "--li"), ["--lines"])
        line = " ".join(call)
        self.assertEqual(self.typed(f"{line} mo"), [*call, "mode="])
        self.assertEqual(self.typed(f"{line} mode=r"), [*call, "mode=ratio"])
        self.assertEqual(self.typed(f"{line} a=1 mode=ch"),
                         [*call, "a=1", "mode=change"])
        self.write("my table.csv", "a,b\n")
        self.assertEqual(self.typed("mica call csv-parser csv=@my"),
                         ["mica", "call", "csv-parser", "csv=@my table.csv"])

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish_completes_fields_choices_and_files(self):
        line = "mica call percentage-calculator "
        self.assertEqual(self.fish(line + "mo"), ["mode="])
        self.assertEqual(sorted(self.fish(line + "mode=")), sorted(self.MODES))
        self.write("table.csv", "a,b\n")
        self.assertEqual(self.fish("mica call csv-parser csv=@tab"),
                         ["csv=@table.csv"])

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_completes_fields_choices_and_files(self):
        line = "mica call percentage-calculator "
        self.assertIn("mode=", " ".join(self.zsh(line + "mo", "mode=")))
        for mode in self.MODES:
            self.assertIn(mode, " ".join(self.zsh(line + "mode=", mode)))
        self.write("table.csv", "a,b\n")
        self.assertIn("csv=@table.csv",
                      " ".join(self.zsh("mica call csv-parser csv=@tab", "csv=@table.csv")))

    def test_an_unknown_shell_is_refused(self):
        self.assertIn("bash, zsh or fish",
                      self.complaint("USAGE", "completions", "tcsh", exit=2))
        self.complaint("USAGE", "completions", exit=2)


if __name__ == "__main__":
    alone.run()
