// SPDX-License-Identifier: Apache-2.0
//
// Tells the host how large the page wants to be. Three things make the heights of frames
// grow or shrink for ever, and each has its rule here:
// - content that follows the frame (100vh): after the host has followed us, it wants as much
//   more as before. Such a wish is an echo and is not sent.
// - layouts that fill the frame (height: 100%) with a map or the like: without a frame they
//   would have no height. They keep what they have.
// - an axis that the host has fixed: it is not sent.
const INTERVAL_MS = 50; // between two messages
const SLACK = 4; // px that two heights may differ and be the same

// Whether something without a height of its own, such as a map, ends where the frame does.
const fills = (element, frame) => [...element.children].some((child) =>
  Math.abs(child.getBoundingClientRect().bottom - frame) <= SLACK &&
  (child.tagName === "svg" || !child.textContent.trim() && !child.children.length ||
    fills(child, frame)));

/** The height that the page would have if the frame had none; undefined: any will do. */
function naturalHeight() {
  const root = document.documentElement;
  const frame = window.innerHeight;
  const { height } = root.style;
  const filled = fills(root, frame);
  root.style.height = "max-content";
  const natural = Math.ceil(root.getBoundingClientRect().height);
  root.style.height = height;
  return filled && natural < frame - SLACK ? undefined : natural;
}

/**
 * Calls `send({width, height})` after each change of the size that the page wants, bounded
 * by `context().containerDimensions`. Returns what ends it, which has `again` to measure
 * once more. `failed(error)` is told of a message that could not be sent.
 */
export function autoResize(send, context, failed) {
  let sent = {}; // as the host knows it
  let wished; // {height, frame} of the last message: what was wanted in which frame
  let due; // a timer is set
  let last = -INTERVAL_MS;
  let observers;

  // As much above the frame as the last time, in another frame: the page follows.
  const isEcho = (height, frame) => wished && frame !== wished.frame &&
    height !== wished.height &&
    Math.abs(height - frame - wished.height + wished.frame) <= SLACK / 2;

  const measure = () => {
    due = undefined;
    const { containerDimensions: box, displayMode } = context();
    if (displayMode === "fullscreen") return; // the host knows the size
    const frame = window.innerHeight;
    const height = naturalHeight();
    const kept = height === undefined || isEcho(height, frame);
    const size = {
      width: box?.width === undefined ? Math.ceil(window.innerWidth) : undefined,
      height: box?.height !== undefined ? undefined
        : kept ? sent.height : Math.min(height, box?.maxHeight ?? Infinity),
    };
    if (size.width === sent.width && size.height === sent.height) return;
    if (size.height !== sent.height) wished = { height, frame };
    sent = size;
    last = performance.now();
    Promise.resolve(send(size)).catch(failed);
  };
  const again = () => {
    if (due !== undefined || !observers) return;
    const wait = last + INTERVAL_MS - performance.now();
    due = setTimeout(measure, Math.max(wait, 0));
  };
  const stop = () => {
    clearTimeout(due);
    observers?.forEach((observer) => observer.disconnect());
    observers = undefined;
  };

  stop.again = again;
  if (!globalThis.document) return stop;
  observers = [new ResizeObserver(again), new MutationObserver(again)];
  const page = document.body ?? document.documentElement;
  observers[0].observe(document.documentElement);
  observers[0].observe(page);
  // Where html or body has a height, its content may outgrow it and change no size of theirs.
  observers[1].observe(page, {
    subtree: true, childList: true, characterData: true,
    attributeFilter: ["class", "hidden", "open", "style"],
  });
  // At once, and not in a frame: a view that is not visible yet has no frames.
  measure();
  return stop;
}
