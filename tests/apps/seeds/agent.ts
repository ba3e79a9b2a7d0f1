import { App } from '../../../web/view/index.js';

// ---- completed: the game
import { z } from "zod";
const board = Array(9).fill(null);
let currentPlayer = "X";
const checkWinner = (board) => board[4] === null ? null : board.includes(null) ? null : "draw";
const app = new App({ name: "App", version: "1.0" });

// Agent can query structured state
app.registerTool("get_board_state", {
  outputSchema: z.object({
    board: z.array(z.enum(['X', 'O', null])),
    currentPlayer: z.enum(['X', 'O']),
    winner: z.enum(['X', 'O', 'draw', null]).nullable()
  })
}, async () => ({
  structuredContent: { board, currentPlayer, winner: checkWinner(board) }
}));

// Agent can execute actions
app.registerTool("make_move", {
  inputSchema: z.object({ position: z.number().int().min(0).max(8) })
}, async ({ position }) => {
  board[position] = currentPlayer;
  currentPlayer = currentPlayer === 'X' ? 'O' : 'X';
  return { structuredContent: { board, winner: checkWinner(board) } };
});

// ---- completed
await app.connect();
