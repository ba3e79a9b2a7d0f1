# SPDX-License-Identifier: Apache-2.0
"""mica pack: the bundle has what it needs and no more, and works away from here. That
its manifest is valid is for tests/readers.

    python3 pack.py --mica build/mica
"""

import json
import os
import re
import stat
import subprocess
import zipfile

import alone
import cli


class Pack(cli.Case):
    def unpack(self, path="build/tools.mcpb"):
        """Into a folder elsewhere, with the rights of the archive."""
        there = os.path.join(self.folder, "installed")
        with zipfile.ZipFile(os.path.join(self.folder, path)) as bundle:
            self.assertIsNone(bundle.testzip())
            for info in bundle.infolist():
                name = bundle.extract(info, there)
                os.chmod(name, info.external_attr >> 16 & 0o777)
        return there

    def serve(self, there, *messages):
        with open(os.path.join(there, "manifest.json"), encoding="utf-8") as file:
            config = json.load(file)["server"]["mcp_config"]
        fill = lambda text: text.replace("${__dirname}", there)
        done = subprocess.run(
            [fill(config["command"]), *map(fill, config["args"])], cwd="/",
            input="".join(json.dumps(one) + "\n" for one in messages),
            env={"HOME": self.folder, "LD_LIBRARY_PATH":
                 fill(config["env"]["LD_LIBRARY_PATH"])},
            text=True, capture_output=True, timeout=60, check=True)
        return [json.loads(line)["result"] for line in done.stdout.splitlines()]

    def test_the_tools_of_a_folder_work_elsewhere(self):
        self.mica("new", "floor-area")
        self.mica("new", "--interactive", "greet_person")
        done = self.mica("pack", "--name", "tools")
        self.assertEqual(done.stdout, "build/tools.mcpb\n")
        there = self.unpack()
        os.rename(os.path.join(self.folder, "engines"),
                  os.path.join(self.folder, "gone"))
        tools, area = self.serve(
            there, cli.message("tools/list"),
            cli.call_message("floor-area", {"length": 3, "width": 2}, 2))
        self.assertEqual({tool["name"] for tool in tools["tools"]},
                         {"floor-area", "greet_person"})
        self.assertEqual(area["structuredContent"]["area"], 6)

    def test_it_brings_its_libraries_and_nothing_of_the_c_library(self):
        self.mica("pack", "--name", "tools")
        there = self.unpack()
        needs = subprocess.run(
            ["ldd", f"{there}/server/mica"], text=True, capture_output=True,
            check=True, env={"LD_LIBRARY_PATH": f"{there}/server/lib"}).stdout
        for name, path in re.findall(r"(\S+) => (\S+)", needs):
            if re.match(r"lib(c|m|dl|rt|pthread)\.so", name):
                self.assertFalse(path.startswith(there), name)
            else:
                self.assertTrue(path.startswith(there), name)
        mode = os.stat(f"{there}/server/mica").st_mode
        self.assertEqual(stat.S_IMODE(mode), 0o755)

    def test_the_same_files_make_the_same_bundle(self):
        bundles = []
        for name, zone in (("a", "UTC0"), ("b", "XYZ-9")):
            self.mica("pack", "--name", "tools", "--author", "Ada", "--out",
                      name, env={"TZ": zone})
            with open(os.path.join(self.folder, name, "tools.mcpb"),
                      "rb") as file:
                bundles.append(file.read())
            self.assertEqual(os.listdir(os.path.join(self.folder, name)),
                             ["tools.mcpb"])
        self.assertEqual(*bundles)

    def test_words_reach_the_descriptions(self):
        done = self.mica(
            "pack", "--name", "tools", "--title", "My \"tools\"", "--version",
            "1.2.3-rc.1", "--description", "é" * 150, "--author", "Ada",
            "--registry-name", "io.github.ada/tools", "--url",
            "https://example.org/tools.mcpb")
        self.assertEqual(done.stdout, "build/tools.mcpb\nbuild/server.json\n")
        with zipfile.ZipFile(
                os.path.join(self.folder, "build/tools.mcpb")) as bundle:
            manifest = json.loads(bundle.read("manifest.json"))
        self.assertEqual(manifest["display_name"], 'My "tools"')
        self.assertEqual(manifest["author"], {"name": "Ada"})
        self.assertEqual(manifest["description"], "é" * 150)
        entry = json.loads(self.read("build/server.json"))
        self.assertEqual(entry["version"], "1.2.3-rc.1")
        self.assertEqual(entry["title"], 'My "tools"')
        self.assertEqual(entry["description"], "é" * 99 + "…")

    def test_the_server_of_a_bundle_is_who_the_folder_says(self):
        self.write("mica.toml", 'name = "weather"\ntitle = "Weather"\n'
                   'version = "2.0.0"\ninstructions = "Ask first."\n')
        self.assertEqual(self.mica("pack").stdout, "build/weather.mcpb\n")
        result, = self.serve(self.unpack("build/weather.mcpb"),
                             cli.message("server/discover"))
        info = result["_meta"]["io.modelcontextprotocol/serverInfo"]
        self.assertEqual((info["name"], info["title"], info["version"]),
                         ("weather", "Weather", "2.0.0"))
        self.assertEqual(result["instructions"], "Ask first.")

    def test_a_registry_takes_all_of_its_names_and_short_titles(self):
        self.mica("pack", "--name", "tools", "--title", "é" * 150,
                  "--registry-name", "io.github.ada/unit_tools", "--url",
                  "https://example.org/tools.mcpb")
        entry = json.loads(self.read("build/server.json"))
        self.assertEqual(entry["name"], "io.github.ada/unit_tools")
        self.assertEqual(entry["title"], "é" * 99 + "…")

    def test_wrong_words_are_refused(self):
        for words in (["--name", "A b"], ["--version", "1"],
                      ["--version", "01.2.3"], ["--url", "https://x/a.mcpb"],
                      ["--registry-name", "io.github.ada/x"],
                      ["--registry-name", "ada", "--url", "https://x/a.mcpb"],
                      ["--registry-name", "a_b/c", "--url", "https://x/a.mcpb"],
                      ["--registry-name", "a/b", "--url", "http://x/a.mcpb"],
                      ["engines"]):
            self.complaint("USAGE", "pack", *words, exit=2)
        self.assertEqual(os.listdir(self.folder), [])

    def test_without_zip_it_says_what_to_install(self):
        said = self.complaint("NOT_FOUND", "pack", "--name", "tools", exit=4,
                              env={"PATH": "/nonexistent"})
        self.assertIn("package zip", said)
        self.assertEqual(os.listdir(os.path.join(self.folder, "build")), [])

    def test_a_tool_that_does_not_build_is_not_packed(self):
        self.write("engines/broken.c", "not C")
        self.complaint("BUILD_FAILED", "pack", exit=3)


if __name__ == "__main__":
    alone.run()
