// SPDX-License-Identifier: Apache-2.0
//
// The types of elicitation.js.
import type { RequestOptions } from "../view/peer.js";
import type { ElicitRequestFormParams, ElicitResult } from "../view/types.js";
import type { AppBridge } from "./bridge.js";

export type { ElicitRequestFormParams, ElicitResult } from "../view/types.js";

/** The address of the view that may show the form of a question, given by its params. */
export declare function getElicitationUiResourceUri(params: { mode?: string;
  _meta?: { [key: string]: unknown } } | undefined): string | undefined;

/** Whether client and server both declare that views answer forms. */
export declare function supportsAppElicitation(client: object | null | undefined,
  server: object | null | undefined): boolean;

/** Has the view of a bridge answer a question. Rejects: show the form then. */
export declare function requestElicitation(bridge: AppBridge, params: ElicitRequestFormParams,
  options?: RequestOptions): Promise<ElicitResult>;
