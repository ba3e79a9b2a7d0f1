// SPDX-License-Identifier: Apache-2.0
//
// Whatever shows a widget, as one thing that it can ask: MCP Apps first, then
// window.openai. Opened by itself, a widget has neither.
import { connectBridge } from "./widget_bridge.js";
import { openaiAct, watchOpenai } from "./widget_openai.js";

const { dataset } = document.body;
let bridge;
let tool = dataset.tool; // name of the app's own tool
let limit = Infinity; // of the height

/** Begins to listen. `heard` is told of "result", "cancelled" and "context". */
export function openHost(heard) {
  let observer;
  const listen = (event, params) => {
    if (event === "teardown") return observer?.disconnect();
    if (event === "context") {
      tool = params.toolInfo?.tool?.name ?? tool;
      limit = params.containerDimensions?.maxHeight ?? limit;
      tellSize();
    }
    heard(event, params);
  };
  observer = new ResizeObserver(tellSize);
  observer.observe(document.body);
  watchOpenai(listen);
  if (parent !== self)
    bridge = connectBridge({ name: document.title || "widget", version: "1" }, listen);
}

// ---- The size ----------------------------------------------------------------------

let told = "";

/** Tells the host how high the widget is, if that has changed. */
export function tellSize() {
  const box = document.body.getBoundingClientRect();
  const size = { width: Math.ceil(box.width), height: Math.min(Math.ceil(box.height), limit) };
  const words = `${size.width} ${size.height} ${bridge?.ready}`;
  if (words === told) return;
  told = words;
  if (bridge?.ready) bridge.notify("ui/notifications/size-changed", size);
  openaiAct("notifyIntrinsicHeight")?.(size.height);
}

// ---- What a person does ------------------------------------------------------------

const refusedBy = (result) => {
  if (result.isError) throw new Error("The host refused that.");
};

/** Opens an address: the host asks first, or the browser opens a new window. */
export const opensLinks = () => bridge?.ready || openaiAct("openExternal");
export async function openLink(url) {
  if (bridge?.ready) refusedBy(await bridge.request("ui/open-link", { url }));
  else await openaiAct("openExternal")({ href: url });
}

// Ways to send something, the first that is there, or undefined.
const viaMessage = () => (bridge?.ready && bridge.can.message
  ? async (text) => refusedBy(await bridge.request("ui/message",
    { role: "user", content: [{ type: "text", text }] }))
  : ((send) => send && ((prompt) => send({ prompt })))(openaiAct("sendFollowUpMessage")));
const viaTool = () => (!tool ? undefined : bridge?.ready && bridge.can.serverTools
  ? (words) => bridge.request("tools/call", { name: tool, arguments: words })
  : ((call) => call && ((words) => call(tool, words)))(openaiAct("callTool")));

const nowhere = () => {
  throw new Error("This page is not part of a conversation, so nothing was sent.");
};

/** Sends a message of the person to the conversation. */
export const sendMessage = async (text) => (viaMessage() ?? nowhere)(text);

/**
 * Sends what a person filled in: {title, context, words}. Returns the result of the tool
 * where it went there, which the model is told of.
 */
export async function submit({ title, context, words }) {
  const call = viaTool(), say = viaMessage();
  if (say && (dataset.submit !== "tool" || !call)) return void await say(words);
  if (!call) nowhere();
  const result = await call({ message: `The form was sent: ${title}`, context });
  if (bridge?.ready && bridge.can.updateModelContext && !result.isError)
    bridge.request("ui/update-model-context", { content: [{ type: "text",
      text: `The person sent this form.\n${words}` }] }).catch(console.warn);
  return result;
}
