// SPDX-License-Identifier: Apache-2.0
//
// The view of tic_tac_toe.c with React: hooks in the place of listeners. The tools are there
// while the board is, and the buttons call the same functions.
import { useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { AppProvider, useApp, useHostStyles, useTool, useToolResult } from "mica/react";

const says = ({ winner, next }) => winner === "none" ? `${next} is next.`
  : winner === "draw" ? "It is a draw." : `${winner} wins.`;
const POSITION = { type: "object", required: ["position"], properties: { position: {
  type: "integer", minimum: 0, maximum: 8, description: "From 0, top left, row by row." } } };

function Board() {
  const { app, isConnected } = useApp();
  const shown = useToolResult();
  const [game, setGame] = useState({ board: "---------", next: "X", winner: "none" });
  const [problem, setProblem] = useState();
  const current = useRef(game); // for calls that come before the next render
  useHostStyles(app);

  const take = (next) => {
    current.current = next;
    setGame(next);
    setProblem(undefined);
  };
  useEffect(() => {
    if (shown?.structuredContent) take(shown.structuredContent);
  }, [shown]);

  // The judge is the tool of the server, in C.
  const judge = async (board, reply = false) => {
    const { isError, content, structuredContent } =
      await app.callServerTool({ name: "tic_tac_toe", arguments: { board, reply } });
    if (isError) throw new Error(content[0].text);
    take(structuredContent);
    if (app.getHostCapabilities().updateModelContext)
      await app.updateModelContext({ structuredContent })
        .catch((error) => console.warn(error.message));
    return { content: [{ type: "text",
      text: `${structuredContent.board} ${says(structuredContent)}` }], structuredContent };
  };

  const move = useTool("make_move", {
    description: "Put the mark of the player whose turn it is on an empty square.",
    inputSchema: POSITION,
  }, ({ position }) => {
    const { board, next, winner } = current.current;
    if (winner !== "none") throw new Error(`The game is over: ${says(current.current)}`);
    if (board[position] !== "-") throw new Error(`Square ${position} is not empty.`);
    return judge(board.slice(0, position) + next + board.slice(position + 1));
  });
  useTool("get_board_state", { description: "The board, whose turn it is and who has won.",
    annotations: { readOnlyHint: true } },
  () => ({ content: [{ type: "text", text: `${current.current.board} ${says(current.current)}` }],
    structuredContent: current.current }));
  const reset = useTool("reset_game", { description: "Begin a new game." },
    () => judge("---------"));
  const attempt = (action) => () => action().catch((error) => setProblem(error.message));

  return <>
    <p id="status" role="status">{problem ?? (isConnected ? says(game)
      : "Waiting for the board …")}</p>
    <div className="board" role="group" aria-label="Board" id="board">
      {[...game.board].map((mark, position) => <button type="button" key={position}
        className={mark} disabled={mark !== "-" || game.winner !== "none"}
        aria-label={`Square ${position + 1}: ${mark === "-" ? "empty" : mark}`}
        onClick={attempt(() => move({ position }))}>{mark === "-" ? "" : mark}</button>)}
    </div>
    <p className="row">
      <button type="button" id="reply" disabled={game.next !== "O"}
        onClick={attempt(() => judge(game.board, true))}>Let the server play</button>
      <button type="button" id="again" onClick={attempt(() => reset({}))}>New game</button>
    </p>
  </>;
}

createRoot(document.getElementById("root")).render(
  <AppProvider appInfo={{ name: "tic-tac-toe", version: "1" }}><Board /></AppProvider>);
