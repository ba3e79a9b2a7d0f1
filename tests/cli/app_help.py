# SPDX-License-Identifier: Apache-2.0
"""mica app: what its help says of each subcommand, and what shells complete.

    python3 app_help.py --mica build/mica --source .
"""

import re
import subprocess

import alone
import cli


class Words(cli.Case):
    def test_help_has_an_example_for_each(self):
        text = self.mica("app", "--help").stdout
        names = re.findall(r"(?m)^  ([a-z]+) +[A-Z]", text)
        self.assertEqual(len(names), 19)
        for name in names:
            one = self.mica("app", name, "--help").stdout
            self.assertIn(f"Usage\n  mica app {name}", one)
            self.assertIn(f"Example\n  mica app {name}", one)
            self.assertEqual(self.mica("help", "app", name).stdout, one)
            self.assertLessEqual(max(map(len, one.splitlines())), 100)
        page = self.mica("help", "app", "--man").stdout
        for name in names:
            self.assertIn(f"\\fB{name}\\fR", page)

    def test_bash_completes_its_words(self):
        script = self.mica("completions", "bash").stdout
        self.write("mica.bash", script)
        done = subprocess.run(
            ["bash", "--norc", "-c", "source ./mica.bash; COMP_WORDS=(mica app publ) "
             "COMP_CWORD=2; _mica; printf '%s\\n' \"${COMPREPLY[@]}\""],
            cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "publish\n")


if __name__ == "__main__":
    alone.run("source")
