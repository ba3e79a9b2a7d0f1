// SPDX-License-Identifier: Apache-2.0
//
// /api/collections, with the errors of api.js.
import { ask, query } from "./api.js";

const one = (id) => "/" + encodeURIComponent(id);
const send = (method, path, more) => ask(method, path, { root: "collections", ...more });

export const list = (after) => send("GET", query({ limit: 100, after }));
export const create = (collection) => send("POST", "", { body: collection });
export const read = (id) => send("GET", one(id));
export const edit = (id, patch, revision) => send("PATCH", one(id), { body: patch, revision });
export const handOver = (id, owner) => send("POST", `${one(id)}/owner`, { body: { owner } });
export const remove = (id) => send("DELETE", one(id));
