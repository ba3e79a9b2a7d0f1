// SPDX-License-Identifier: Apache-2.0
//
// The types of elicitation.js.
import type { App } from "./app.js";
import type { RequestHandlerExtra } from "./peer.js";
import type { ElicitRequestFormParams, ElicitResult } from "./types.js";

export type { ElicitRequestFormParams, ElicitResult } from "./types.js";

export declare const ELICITATION_METHOD: "elicitation/create";

/** Has `handler` answer the forms that the host gives to the view; before connect(). */
export declare function onElicitation(app: App, handler: (params: ElicitRequestFormParams,
  extra: RequestHandlerExtra) => ElicitResult | Promise<ElicitResult>): void;
