// SPDX-License-Identifier: Apache-2.0
//
// The types of transport.js.
import type { Transport } from "./peer.js";

export declare class PostMessageTransport implements Transport {
  constructor(target?: Window, source?: MessageEventSource);
  start(): Promise<void>;
  send(message: any, options?: any): Promise<void>;
  close(): Promise<void>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: any, extra?: any) => void;
  sessionId?: string;
  setProtocolVersion?: (version: string) => void;
}
