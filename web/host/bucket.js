// SPDX-License-Identifier: Apache-2.0
//
// A token bucket: how often something may happen.

export class Bucket {
  #rate;
  #burst;
  #tokens;
  #since = performance.now();

  constructor(rate, burst) {
    this.#rate = rate;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Takes a token, if there is one. `full` (of the last call) tells that it was idle before. */
  take() {
    const now = performance.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#since) * this.#rate / 1000);
    this.#since = now;
    this.full = this.#tokens >= this.#burst;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
