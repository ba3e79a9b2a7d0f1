// SPDX-License-Identifier: Apache-2.0
//
// Two transports that are each other's other end: messages are cloned, as windows do it,
// and arrive in later tasks. `log` has each of them, as [who sent it, message].

export function pair(log = []) {
  const ends = ["host", "view"].map((name) => ({ name, open: false }));
  ends.forEach((end, i) => {
    const other = ends[1 - i];
    end.start = async () => { end.open = true; };
    end.close = async () => {
      end.open = false;
      end.onclose?.();
    };
    end.send = async (message) => {
      const copy = structuredClone(message);
      log.push([end.name, copy]);
      setImmediate(() => other.open && other.onmessage?.(copy));
    };
  });
  return ends;
}
