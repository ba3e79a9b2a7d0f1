// SPDX-License-Identifier: Apache-2.0
//
// One thing with a picture, a text and a few facts.
import { facts, paragraphs, picture } from "./widget_elements.js";

export const render = (data) =>
  [picture(data.image, "hero"), ...paragraphs(data.body), facts(data.facts)];
