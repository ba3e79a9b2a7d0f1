// SPDX-License-Identifier: Apache-2.0
//
// The types of views beside those of the official package: what both have under one name is
// assignable both ways. Nothing of this runs: it is compiled (types.mjs).
import type * as official from "@modelcontextprotocol/ext-apps";
import type * as officialReact from "@modelcontextprotocol/ext-apps/react";
import { z } from "zod";

import * as ours from "../../web/view/index.js";
import type * as react from "../../web/view/react.js";

declare global {
  class Buffer extends Uint8Array {} // of Node: the official types name it
}

type Same<A, B> = [A] extends [B] ? [B] extends [A] ? true : "the official is not ours"
  : "ours is not the official";
declare function same<A, B>(both: Same<A, B>): void;

same<ours.McpUiTheme, official.McpUiTheme>(true);
same<ours.McpUiDisplayMode, official.McpUiDisplayMode>(true);
same<ours.McpUiStyleVariableKey, official.McpUiStyleVariableKey>(true);
same<ours.McpUiStyles, official.McpUiStyles>(true);
same<ours.McpUiHostCss, official.McpUiHostCss>(true);
same<ours.McpUiHostStyles, official.McpUiHostStyles>(true);
same<ours.McpUiHostContext, official.McpUiHostContext>(true);
same<ours.McpUiHostCapabilities, official.McpUiHostCapabilities>(true);
same<ours.McpUiAppCapabilities, official.McpUiAppCapabilities>(true);
same<ours.McpUiSupportedContentBlockModalities, official.McpUiSupportedContentBlockModalities>(true);
same<ours.McpUiResourceCsp, official.McpUiResourceCsp>(true);
same<ours.McpUiResourcePermissions, official.McpUiResourcePermissions>(true);
same<ours.McpUiResourceMeta, official.McpUiResourceMeta>(true);
same<ours.McpUiToolMeta, official.McpUiToolMeta>(true);
same<ours.McpUiToolVisibility, official.McpUiToolVisibility>(true);
same<ours.McpUiClientCapabilities, official.McpUiClientCapabilities>(true);
same<ours.McpUiInitializeRequest, official.McpUiInitializeRequest>(true);
same<ours.McpUiInitializeResult, official.McpUiInitializeResult>(true);
same<ours.McpUiInitializedNotification, official.McpUiInitializedNotification>(true);
same<ours.McpUiOpenLinkRequest, official.McpUiOpenLinkRequest>(true);
same<ours.McpUiOpenLinkResult, official.McpUiOpenLinkResult>(true);
same<ours.McpUiDownloadFileRequest, official.McpUiDownloadFileRequest>(true);
same<ours.McpUiDownloadFileResult, official.McpUiDownloadFileResult>(true);
same<ours.McpUiMessageRequest, official.McpUiMessageRequest>(true);
same<ours.McpUiMessageResult, official.McpUiMessageResult>(true);
same<ours.McpUiUpdateModelContextRequest, official.McpUiUpdateModelContextRequest>(true);
same<ours.McpUiRequestDisplayModeRequest, official.McpUiRequestDisplayModeRequest>(true);
same<ours.McpUiRequestDisplayModeResult, official.McpUiRequestDisplayModeResult>(true);
same<ours.McpUiSizeChangedNotification, official.McpUiSizeChangedNotification>(true);
same<ours.McpUiRequestTeardownNotification, official.McpUiRequestTeardownNotification>(true);
same<ours.McpUiToolInputNotification, official.McpUiToolInputNotification>(true);
same<ours.McpUiToolInputPartialNotification, official.McpUiToolInputPartialNotification>(true);
same<ours.McpUiToolResultNotification, official.McpUiToolResultNotification>(true);
same<ours.McpUiToolCancelledNotification, official.McpUiToolCancelledNotification>(true);
same<ours.McpUiHostContextChangedNotification, official.McpUiHostContextChangedNotification>(true);
same<ours.McpUiResourceTeardownRequest, official.McpUiResourceTeardownRequest>(true);
same<ours.McpUiResourceTeardownResult, official.McpUiResourceTeardownResult>(true);
same<ours.McpUiSandboxProxyReadyNotification, official.McpUiSandboxProxyReadyNotification>(true);
same<ours.McpUiSandboxResourceReadyNotification,
  official.McpUiSandboxResourceReadyNotification>(true);
same<ours.AppEventMap, official.AppEventMap>(true);
same<ours.AppToolResult, official.AppToolResult>(true);
same<ours.StandardSchemaV1<1, 2>, official.StandardSchemaV1<1, 2>>(true);
same<typeof ours.LATEST_PROTOCOL_VERSION, typeof official.LATEST_PROTOCOL_VERSION>(true);
same<typeof ours.RESOURCE_URI_META_KEY, typeof official.RESOURCE_URI_META_KEY>(true);
same<Required<Pick<ours.AppOptions, "autoResize" | "strict" | "allowUnsafeEval">>,
  Required<Pick<official.AppOptions, "autoResize" | "strict" | "allowUnsafeEval">>>(true);

// The functions of App: parameters and results of each.
type Names = "sendMessage" | "openLink" | "sendOpenLink" | "downloadFile" | "requestDisplayMode" |
  "sendSizeChanged" | "getHostCapabilities" | "getHostVersion" | "getHostContext" |
  "callServerTool" | "readServerResource" | "listServerResources" | "sendLog" |
  "updateModelContext" | "setupSizeChangedNotifications" | "ontoolinput" | "ontoolinputpartial" |
  "ontoolresult" | "ontoolcancelled" | "onhostcontextchanged" | "addEventListener" |
  "removeEventListener";
type Functions<Lib extends Record<Names, unknown>> = { [Name in Names]: Lib[Name] };
type Ours = Functions<ours.App>;
type Official = Functions<official.App>;
declare const mine: Ours;
declare const theirs: Official;
const asTheirs: Official = mine;
const asMine: Ours = theirs;
same<Required<Omit<react.UseAppOptions, "onAppCreated">>,
  Required<Omit<officialReact.UseAppOptions, "onAppCreated">>>(true);
same<Omit<react.AppState, "app">, Omit<officialReact.AppState, "app">>(true);

// What an author writes.
const app = new ours.App({ name: "a", version: "1" });
app.registerTool("zod", { inputSchema: z.object({ n: z.number() }),
  outputSchema: z.object({ m: z.string() }) },
({ n }, { mcpReq }) => ({ content: [], structuredContent: { m: n.toFixed(mcpReq.signal ? 1 : 2) } }));
app.registerTool("plain", { inputSchema: { type: "object", properties: {} } },
  async (args) => ({ structuredContent: { n: args.n } }));
ours.registerTool("bare", {}, async (extra) => { extra.signal.throwIfAborted(); });
// @ts-expect-error: the argument is a number
app.registerTool("wrong", { inputSchema: z.object({ n: z.number() }) }, ({ n }) => n.trim());
void [asTheirs, asMine];
