// SPDX-License-Identifier: Apache-2.0
//
// What both sides of a view know of each other, and what a document hands to the one that
// replaces it.

import { asJson } from "../view/peer.js";
import { limits } from "./tool_limits.js";

/** Where a document that replaces another one finds what that left: {state, modelContext}. */
export const RESTORED = "mica/restored";

/** The state of a view as it is now, for people. The tools are those that it lists. */
export async function stateOf(bridge) {
  const appCapabilities = bridge.getAppCapabilities();
  const asks = bridge.state === "LIVE" && appCapabilities?.tools;
  const tools = asks ? (await bridge.listTools()).tools : [];
  return { state: bridge.state, hostContext: bridge.getHostContext(),
    hostCapabilities: bridge.getCapabilities(), app: bridge.getAppVersion(), appCapabilities,
    modelContext: bridge.modelContext, tools };
}

function bounded(value, report) {
  try {
    return asJson(value, limits.restoredSize);
  } catch (error) {
    report(error);
    return undefined;
  }
}

/**
 * Ends a view that another document replaces. Resolves to what that document finds in its
 * host context: `state` is what the view answered to ui/resource-teardown, `modelContext`
 * what it gave last for the model. `report` hears what was too large to be kept.
 */
export async function leave(bridge, report) {
  const { modelContext } = bridge;
  const ends = bridge.state === "TEARDOWN" || bridge.state === "CLOSED";
  const state = ends ? {} : await bridge.teardownResource();
  await bridge.close();
  const restored = {};
  if (Object.keys(state).length) restored.state = bounded(state, report);
  if (modelContext !== undefined) restored.modelContext = bounded(modelContext, report);
  return restored;
}
