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

/** Resolves when `check()` is true, or rejects after two seconds. */
export async function until(check, what = "it") {
  for (let left = 400; left > 0; left--) {
    if (await check()) return;
    await new Promise((done) => setTimeout(done, 5));
  }
  throw new Error(`${what} did not happen`);
}

export const pause = (ms = 20) => new Promise((done) => setTimeout(done, ms));
