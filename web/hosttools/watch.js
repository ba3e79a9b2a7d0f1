// SPDX-License-Identifier: Apache-2.0
//
// Everything that a developer is shown about one open view, from the messages that pass:
//
//     const watch = new Watch({ uri, csp, permissions }, [location.origin]);
//     await openView(bridge, { …, wrap: watch.wrap, audit: true });

import { Checklist } from "./checklist.js";
import { PolicyAudit, VIOLATION } from "./audit.js";
import { Recorder } from "./recording.js";
import { TappedTransport } from "./tap.js";
import { TrafficLog } from "./traffic.js";

export class Watch {
  traffic = new TrafficLog();
  checklist = new Checklist();
  audit;
  recorder;

  /** `view`: {uri, csp, permissions} of the resource; `own`: origins of the host. */
  constructor(view, own) {
    this.audit = new PolicyAudit(view.csp, own);
    this.recorder = new Recorder(view);
  }

  /** The transport that a bridge gets in place of the one to the frame. */
  wrap = (transport) => new TappedTransport(transport, (from, message, at) => {
    if (from === "view" && message?.method === VIOLATION) this.audit.add(message.params);
    this.traffic.add(from, message, at);
    this.checklist.add(from, message, at);
    this.recorder.add(from, message, at);
  });
}
