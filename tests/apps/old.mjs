// SPDX-License-Identifier: Apache-2.0
//
// The first release of ext-apps for 2026-01-26, and the last one before it, beside ours in
// both roles: what each of them can do works. Older ones install a JavaScript runtime of
// their own; these want it as an option, and package.json has an empty package in its place.
import assert from "node:assert/strict";

import * as app1 from "ext-apps-v1_0";
import * as bridge1 from "ext-apps-v1_0/app-bridge";
import * as app0 from "ext-apps-v0";
import * as bridge0 from "ext-apps-v0/app-bridge";
import * as app0_2 from "ext-apps-v0_2";
import * as bridge0_2 from "ext-apps-v0_2/app-bridge";

import { AppBridge } from "../../web/host/bridge.js";
import { App } from "../../web/view/index.js";
import { done, test, until } from "../peers/tap.mjs";
import { pair } from "./host-pair.mjs";

console.debug = () => {};
const releases = [["1.0.0", "2026-01-26", app1.App, bridge1.AppBridge],
  ["0.4.2", "2025-11-21", app0.App, bridge0.AppBridge],
  ["0.2.0", "2025-11-21", app0_2.App, bridge0_2.AppBridge]];
const roles = releases.flatMap(([release, version, TheirApp, TheirBridge]) => [
  [`App of ${release} in our host`, version, TheirApp, AppBridge],
  [`our App in the host of ${release}`, version, App, TheirBridge],
]);

for (const [name, version, View, Host] of roles)
  await test(name, async () => {
    const log = [];
    const [near, far] = pair(log);
    const host = new Host(null, { name: "host", version: "1" },
      { serverTools: {}, openLinks: {}, logging: {}, message: {} },
      { hostContext: { theme: "dark" } });
    const view = new View({ name: "view", version: "1" }, {}, { autoResize: false });
    const seen = [];
    view.ontoolinput = (params) => seen.push(["input", params.arguments]);
    view.ontoolinputpartial = (params) => seen.push(["partial", params.arguments]);
    view.ontoolresult = ({ content }) => seen.push(["result", content[0].text]);
    view.onhostcontextchanged = ({ theme }) => seen.push(["theme", theme]);
    view.onteardown = () => {
      seen.push(["teardown"]);
      return {};
    };
    host.oncalltool = async ({ name, arguments: given }) =>
      ({ content: [{ type: "text", text: `${name} ${JSON.stringify(given)}` }] });
    host.onopenlink = async ({ url }) => {
      seen.push(["link", url]);
      return {};
    };
    host.onmessage = async ({ content }) => {
      seen.push(["message", content[0].text]);
      return {};
    };
    host.onsizechange = ({ height }) => seen.push(["size", height]);
    host.onloggingmessage = ({ data }) => seen.push(["log", data]);
    const begun = new Promise((resolve) => { host.oninitialized = resolve; });
    await host.connect(near);
    await view.connect(far);
    await begun;
    const offered = log.find(([, { result }]) => result?.protocolVersion)[1].result;
    assert.ok([version, "2026-01-26"].includes(offered.protocolVersion), offered.protocolVersion);
    assert.equal(view.getHostContext().theme, "dark");

    await host.sendToolInputPartial({ arguments: { a: 1 } });
    await host.sendToolInput({ arguments: { a: 12 } });
    await host.sendToolResult({ content: [{ type: "text", text: "30" }] });
    host.setHostContext({ theme: "light" });
    await until(() => seen.length === 4);
    const { content } = await view.callServerTool({ name: "echo", arguments: { b: 2 } });
    assert.equal(content[0].text, 'echo {"b":2}');
    await (view.openLink ?? view.sendOpenLink).call(view, { url: "https://example.com/" });
    await view.sendMessage({ role: "user", content: [{ type: "text", text: "hello" }] });
    await view.sendSizeChanged({ width: 10, height: 20 });
    await view.sendLog({ level: "info", data: "said" });
    await until(() => seen.length === 8);
    await (host.teardownResource ?? host.sendResourceTeardown).call(host, {});
    assert.deepEqual(seen, [["partial", { a: 1 }], ["input", { a: 12 }], ["result", "30"],
      ["theme", "light"], ["link", "https://example.com/"], ["message", "hello"], ["size", 20],
      ["log", "said"], ["teardown"]]);
  });
done();
