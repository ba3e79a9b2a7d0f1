import { App } from '../../../web/view/index.js';

// ---- completed: the game
import { z } from "zod";
const board = Array(9).fill("");
const currentPlayer = "X";
const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8],
  [2, 4, 6]];
const checkWinner = () => LINES.find((line) => line.every((at) =>
  board[at] && board[at] === board[line[0]]))?.map((at) => board[at])[0] ?? null;

const app = new App(
  { name: "TicTacToe", version: "1.0" },
  { tools: { listChanged: true } }  // Declare capability
);

const moveTool = app.registerTool(
  "make_move",
  {
    description: "Make a move",
    inputSchema: z.object({ position: z.number().min(0).max(8) }),
    outputSchema: z.object({ board: z.array(z.string()), winner: z.string().nullable() }),
    annotations: { readOnlyHint: false }
  },
  async ({ position }) => {
    board[position] = currentPlayer;
    return {
      content: [{ type: "text", text: `Moved to ${position}` }],
      structuredContent: { board, winner: checkWinner() }
    };
  }
);

await app.connect();
