// SPDX-License-Identifier: Apache-2.0
//
// Bundles the views of this folder with esbuild: each NAME.jsx becomes ../tools/NAME.html, in
// the place of the plain document, whose title and styles it takes. The C source stays.
//
//     npm install esbuild react react-dom
//     node build.mjs
//     mica build ../tools/tic_tac_toe.c
//
// MICA_WEB is the folder of mica's modules; an installation has them in share/mica/web.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const web = process.env.MICA_WEB ?? "/usr/local/share/mica/web";

for (const name of ["tic_tac_toe", "allocate_budget"]) {
  const document = new URL(`../tools/${name}.html`, import.meta.url);
  const [head] = /<title>.*?<\/style>/s.exec(readFileSync(document, "utf8"));
  const { outputFiles: [{ text }] } = await build({
    entryPoints: [`${here}${name}.jsx`], bundle: true, minify: true, write: false,
    format: "iife", target: "es2022", jsx: "automatic", nodePaths: [`${here}node_modules`],
    alias: { "mica/react": `${web}/view/react.js` },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  writeFileSync(document, `<!doctype html>
<html lang="en">
<meta charset="utf-8">
${head}
<div id="root"></div>
<script>${text.replace(/<\/script/g, "<\\/script")}</script>
</html>
`);
}
