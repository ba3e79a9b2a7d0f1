// SPDX-License-Identifier: Apache-2.0
//
// The example of a contract for MCP tools, as it stands there but for its import line; what
// follows "completed" is the test's.
import { Client } from '../../../web/client/client.js';

const client = new Client({
  name: 'my-ai-assistant',
  version: '1.0.0',
});

// Connect to a specific app's MCP endpoint using its slug
await client.connect({
  transport: {
    type: 'http',
    url: 'http://localhost:3001/servers/my-support-bot/mcp',
  },
});

// List available tools for this app
const tools = await client.listTools();
// Returns: [{ name: 'get_order_status', description: '...' }]

// Call the app's tool
const result = await client.callTool({
  name: 'get_order_status',  // The app's configured toolName
  arguments: {
    message: 'Where is my order #12345?',
  },
});

// completed
export { client, result, tools };
