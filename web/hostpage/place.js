// SPDX-License-Identifier: Apache-2.0
//
// Whose host page this is: that of the whole server, or of one published app, which has the
// same below its own address.
import { below } from "../ask.js";

const own = document.getElementById("host").dataset.below; // "servers/x/"; empty: the server

export const isOfApp = own !== "";

/** The name for people of what answers. */
export const SERVER = isOfApp ? "the app" : "the server";

/** Where messages of MCP go. */
export const rpc = below(`${own}host/rpc`);

/** Where forms are made, for everyone who may call. */
export const forms = below(isOfApp ? `${own}host/form` : "web/form");

/** The sandbox for another view, as openView takes it: names that no other view has, or for
 * an app a document of this server that has no origin. */
export const sandboxOf = () => isOfApp ? { proxy: below(`${own}host/sandbox`), opaque: true }
  : { proxy: `http://${crypto.randomUUID()}.localhost${
    location.port && `:${location.port}`}/sandbox`, viewName: crypto.randomUUID() };

/** Where a person signs in, to come back here. */
export const signInAddress = () =>
  below(`login?to=%2F${encodeURIComponent(`${own}host`)}`);
