# SPDX-License-Identifier: Apache-2.0
"""A build that has read older files than another does not replace it.

    python3 older_builds.py --mica build/mica
"""

import glob
import os
import subprocess
import time

import alone
import cli
from author import VIEWED, engine

# A compiler that waits for a file before a command that has a certain word.
HELD = """#!/bin/sh
case " $* " in
*" %s "*) while [ ! -e "%s" ]; do sleep 0.05; done ;;
esac
exec cc "$@"
"""


class OlderBuilds(cli.Case):
    def hold(self, word, *words):
        """Starts a `mica build` that waits before the step with `word`. Returns what releases it."""
        gate = os.path.join(self.folder, "gate")
        compiler = self.write("held-cc", HELD % (word, gate))
        os.chmod(compiler, 0o755)
        held = subprocess.Popen(
            [cli.OPTIONS.mica, "build", *words], cwd=self.folder, text=True,
            env={**os.environ, "MICA_CC": compiler},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

        def release():
            self.write("gate", "")
            said, _ = held.communicate(timeout=cli.OPTIONS.patience)
            self.assertEqual(held.returncode, 0, said)

        def end():
            self.write("gate", "")
            held.wait()
            held.stdout.close()

        self.addCleanup(end)
        return release

    def wait_for(self, pattern):
        until = time.monotonic() + cli.OPTIONS.patience
        while not glob.glob(os.path.join(self.folder, pattern), include_hidden=True):
            self.assertLess(time.monotonic(), until, pattern)
            time.sleep(0.05)

    def object_of(self, name):
        with open(os.path.join(self.folder, "build", "tools", name + ".so"), "rb") as file:
            return file.read()

    def test_a_tool_keeps_the_newer_document(self):
        self.write("tools/look.c", VIEWED)
        self.write("tools/other-name.html", "<p>older")
        release = self.hold("view.o", "tools/look.c")
        self.wait_for("build/tools/*/view.S")
        self.write("tools/other-name.html", "<p>newer")
        self.mica("build", "tools/look.c")
        release()
        self.assertTrue(b"<p>newer" in self.object_of("look"), "the older one is there")

    def test_an_engine_keeps_the_newer_source(self):
        self.write("engines/change-it.c", engine(what="+ 1"))
        release = self.hold("-shared", "engines/change-it.c")
        self.wait_for("build/engines/*/module.wasm")
        self.write("engines/change-it.c", engine(what="+ 20", result="21"))
        self.mica("build", "engines/change-it.c")
        release()
        called = self.mica("call", "change-it", "value=1")
        self.assertIn("21", called.stdout)


if __name__ == "__main__":
    alone.run()
