// SPDX-License-Identifier: Apache-2.0
//
// The module of views for the programs of seeds/, with their zod schemas made plain JSON
// Schema before App gets them: as if their authors had written that.
import { z } from "zod";

import { App as Registers } from "../../web/view/index.js";

export * from "../../web/view/index.js";

const plain = (schema, io) => schema && z.toJSONSchema(schema, { io });

export class App extends Registers {
  registerTool(name, { inputSchema, outputSchema, ...config }, callback) {
    return super.registerTool(name, { ...config,
      ...inputSchema && { inputSchema: plain(inputSchema, "input") },
      ...outputSchema && { outputSchema: plain(outputSchema, "output") } }, callback);
  }
}
