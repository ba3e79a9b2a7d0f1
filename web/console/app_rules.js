// SPDX-License-Identifier: Apache-2.0
//
// The server's rules for apps in a browser: app-rules.wasm, which is made of the server's
// own C. A call takes the text of a draft and makes no request.

// One call in an instance of its own, as the module keeps no state between calls.
function runModule(module, name, text) {
  const instance = new WebAssembly.Instance(module, {}).exports;
  const bytes = new TextEncoder().encode(text);
  const room = instance.mica_rules_input(bytes.length);
  if (room === 0)
    throw new RangeError("The draft is too large.");
  new Uint8Array(instance.memory.buffer, room, bytes.length).set(bytes);
  const done = instance[name](bytes.length) === 1;
  const [at, size] = new Uint32Array(instance.memory.buffer, instance.mica_rules_result(), 2);
  const answer = new TextDecoder().decode(new Uint8Array(instance.memory.buffer, at, size));
  return { done, answer };
}

/**
 * The rules, from the bytes of app-rules.wasm or a promise of its Response.
 *
 * findings(text) gives {savable, publishable, slug, findings}, or throws an Error with the
 * members code and details if the text is no draft. preview(text) gives the HTML of the
 * widget with the draft's mock data, and throws likewise.
 */
export async function loadRules(source) {
  const module = source instanceof ArrayBuffer || ArrayBuffer.isView(source)
    ? await WebAssembly.compile(source)
    : await WebAssembly.compileStreaming(source);
  const answerOf = (name, text) => {
    const { done, answer } = runModule(module, name, text);
    if (done)
      return answer;
    const { code, message, details } = JSON.parse(answer).error;
    throw Object.assign(new Error(message), { code, details });
  };
  return {
    findings: (text) => JSON.parse(answerOf("mica_rules_findings", text)),
    preview: (text) => answerOf("mica_rules_preview", text),
  };
}
