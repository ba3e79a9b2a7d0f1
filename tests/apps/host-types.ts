// SPDX-License-Identifier: Apache-2.0
//
// Compiled, never run: the types of our bridge beside those of the official one. What both
// have can be assigned both ways, and nothing of theirs is missing.
import type * as official from "@modelcontextprotocol/ext-apps/app-bridge";
import type { CallToolResult, Client, ListResourcesResult, ListToolsResult, ReadResourceResult }
  from "@modelcontextprotocol/client";

import { Client as OurClient } from "../../web/client/client.js";
import * as ours from "../../web/host/bridge.js";
import { openView } from "../../web/host/frame.js";

// Registration by method name is overloaded by method in the official class; `Protocol` has
// members beside those of AppBridge.
type Generic = "setRequestHandler" | "setNotificationHandler" | "request" | "notification" |
  "removeRequestHandler" | "removeNotificationHandler" | "transport" | "onerror" |
  "fallbackRequestHandler" | "fallbackNotificationHandler" |
  "addEventListener" | "removeEventListener";
type Shared = Exclude<keyof ours.AppBridge & keyof official.AppBridge, Generic>;

declare let bridge: Pick<ours.AppBridge, Shared>;
declare let theirs: Pick<official.AppBridge, Shared>;
bridge = theirs;
theirs = bridge;

// Each member by itself, so that an error names it.
type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : "not theirs to ours")
  : "not ours to theirs";
type Differing = { [K in Shared]: Both<ours.AppBridge[K], official.AppBridge[K]> extends true
  ? never : K }[Shared];
const differing: Differing[] = [];
const none: never[] = differing;

// A member of Protocol for subclasses, which is public by oversight.
type Missing = Exclude<keyof official.AppBridge,
  keyof ours.AppBridge | "assertCanSetRequestHandler">;
declare const missing: Missing;
const nothing: never = missing;

// Types of the protocol, under one name.
declare let ourContext: ours.McpUiHostContext, theirContext: official.McpUiHostContext;
ourContext = theirContext;
theirContext = ourContext;
declare let ourHost: ours.McpUiHostCapabilities, theirHost: official.McpUiHostCapabilities;
ourHost = theirHost;
theirHost = ourHost;
declare let ourApp: ours.McpUiAppCapabilities, theirApp: official.McpUiAppCapabilities;
ourApp = theirApp;
theirApp = ourApp;
declare let ourKey: ours.McpUiStyleVariableKey, theirKey: official.McpUiStyleVariableKey;
ourKey = theirKey;
theirKey = ourKey;
declare let ourCsp: ours.McpUiResourceCsp, theirCsp: official.McpUiResourceCsp;
ourCsp = theirCsp;
theirCsp = ourCsp;

// The official client, and code as an author writes it.
export async function example(client: Client, container: Element) {
  const bridge = new ours.AppBridge(client, { name: "h", version: "1" }, { openLinks: {} },
    { hostContext: { theme: "dark" } });
  bridge.onopenlink = async ({ url }) => ({ isError: url === "" });
  bridge.ontoolschanged = () => {};
  bridge.addEventListener("sizechange", ({ height }) => height?.toFixed());
  await openView(bridge, { container, proxy: "https://sandbox.example", html: "" });
  const { tools } = await bridge.listTools();
  const result = await bridge.callTool({ name: tools[0].name }, { timeout: 5 });
  return [result.content[0].type, none, nothing];
}

// Our client where the official one is expected, and what its results are used as.
export async function client(mine: OurClient, theirs: Client) {
  for (const one of [mine, theirs])
    new ours.AppBridge(one, { name: "h", version: "1" }, {});
  await mine.connect({ transport: { type: "http", url: new URL("http://localhost/mcp") } });
  const tools: ListToolsResult = await mine.listTools();
  const again: Awaited<ReturnType<OurClient["listTools"]>>["tools"] = (await theirs.listTools()).tools;
  const result: CallToolResult = await mine.callTool({ name: tools.tools[0].name, arguments: {} },
    { onprogress: ({ progress }) => progress.toFixed() });
  const ourResult: Awaited<ReturnType<OurClient["callTool"]>> = result;
  const resources: ListResourcesResult = await mine.listResources({ cursor: "a" });
  const read: ReadResourceResult = await mine.readResource({ uri: resources.resources[0].uri });
  for (const { name } of await mine.listTools()) name.length;
  return [again, ourResult, read];
}
