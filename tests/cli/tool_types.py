# SPDX-License-Identifier: Apache-2.0
"""mica types: what is written where. That a compiler reads it is for tests/readers.

    python3 tool_types.py --mica build/mica
"""

import json
import os
import stat

import alone
import cli


class Types(cli.Case):
    def test_one_tool_is_printed_with_its_module(self):
        text = self.mica("types", "hash").stdout
        self.assertIn("export type HashInput = {", text)
        self.assertIn("export { engine as hash };", text)
        self.assertIn("hash", self.complaint("NOT_FOUND", "types", "hahs",
                                             exit=4))

    def test_all_are_printed_as_one_file_with_an_index(self):
        text = self.mica("types").stdout
        for tool in self.json("list", "--json"):
            self.assertIn(f'"{tool["name"]}": {{ input: ', text)
        self.assertNotIn("EngineError", text)

    def test_a_folder_has_types_and_schemas_and_is_written_once(self):
        done = self.mica("types", "--out", "to/here").stdout.splitlines()
        self.assertIn("to/here/hash.d.ts", done)
        self.assertIn("to/here/index.d.ts", done)
        self.assertEqual(len(done), 3 * len(self.json("list", "--json")) + 1)
        for name, part in (("input", "inputSchema"), ("output", "outputSchema")):
            self.assertEqual(json.loads(self.read(f"to/here/hash.{name}.json")),
                             self.json("describe", "hash", "--json")[part])
        path = os.path.join(self.folder, "to/here/hash.d.ts")
        os.chmod(path, 0o600)
        before = os.stat(path)
        self.assertEqual(self.mica("types", "--out", "to/here").stdout
                         .splitlines(), done)
        self.assertEqual(os.stat(path).st_mtime_ns, before.st_mtime_ns)
        # A file that differs is replaced, behind a link, and keeps its rights.
        os.rename(path, path + ".real")
        os.symlink("hash.d.ts.real", path)
        with open(path, "a", encoding="utf-8") as file:
            file.write("// old")
        self.mica("types", "hash", "--out", "to/here")
        self.assertTrue(os.path.islink(path))
        self.assertNotIn("// old", self.read("to/here/hash.d.ts"))
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual([name for name in os.listdir(os.path.dirname(path))
                          if name.startswith(".")], [])

    def test_what_is_no_file_is_not_replaced(self):
        os.makedirs(os.path.join(self.folder, "to/hash.d.ts"))
        self.complaint("USAGE", "types", "hash", "--out", "to", exit=2)
        os.symlink("nowhere", os.path.join(self.folder, "to/calculate.d.ts"))
        self.complaint("IO_ERROR", "types", "calculate", "--out", "to", exit=8)

    def test_an_interactive_tool_has_types_and_no_module(self):
        self.mica("new", "--interactive", "greet_person")
        text = self.mica("types", "greet_person").stdout
        self.assertIn("export type GreetPersonInput = {", text)
        self.assertNotIn("EngineError", text)


if __name__ == "__main__":
    alone.run()
