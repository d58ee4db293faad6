// The page's terminal as an oracle: reads a line of JSON {rows, cols, streams: [base64]} and answers with one, an array: per stream, fed to a terminal of its own, the state that it ends in, the screen,
// and what the terminal typed. It answers to more than the page's does, as other terminals do.
import { createInterface } from "node:readline";
import headless from "@xterm/headless";

const { Terminal } = headless;

function open(rows, cols) {
  const term = new Terminal({
    rows, cols, allowProposedApi: true, scrollback: 0, logLevel: "off",
    windowOptions: { getWinSizePixels: true, getCellSizePixels: true, getWinSizeChars: true, pushTitle: false, popTitle: false },
  });
  let typed = "";
  term.onData((data) => { typed += data; });
  term.onBinary((data) => { typed += data; });
  const answer = (what) => { typed += what; return false; };
  const p = term.parser;
  for (const n of [4, 5, 10, 11, 12, 13, 17, 19, 21, 50, 52]) p.registerOscHandler(n, (data) => data.split(";").some((s) => s.endsWith("?")) && answer(`osc ${n}`));
  p.registerDcsHandler({ intermediates: "+", final: "q" }, () => answer("xtgettcap"));
  for (const [id, name] of [
    [{ prefix: "=", final: "c" }, "da3"], [{ prefix: ">", final: "q" }, "xtversion"], [{ final: "x" }, "decreqtparm"], [{ intermediates: "*", final: "y" }, "checksum"],
    [{ prefix: "?", final: "u" }, "keyboard"], [{ prefix: "?", final: "m" }, "keys"], [{ prefix: "?", final: "S" }, "graphics"],
  ]) p.registerCsiHandler(id, () => answer(name));
  p.registerCsiHandler({ final: "t" }, (params) => [11, 13, 14, 15, 16, 19, 20, 21].includes(params[0]) && answer(`window ${params[0]}`));
  p.registerEscHandler({ final: "Z" }, () => answer("decid"));
  for (const final of "hl") p.registerCsiHandler({ prefix: "?", final }, (params) => (params.includes(1004) || params.includes(2048)) && answer("focus"));
  term._core._inputHandler._parser.setExecuteHandler("\x05", () => answer("enq"));
  return { term, typed: () => typed };
}

// The charsets are tables; a name says which is which.
const names = new Map([[undefined, "B"]]);
const name = (charset) => {
  if (!names.has(charset)) names.set(charset, JSON.stringify(charset).slice(0, 40));
  return names.get(charset);
};

const look = (a) => ({
  bold: !!a.isBold(), dim: !!a.isDim(), italic: !!a.isItalic(), underline: !!a.isUnderline(), style: a.isUnderline() ? a.getUnderlineStyle() : 0, blink: !!a.isBlink(), inverse: !!a.isInverse(),
  invisible: !!a.isInvisible(), strike: !!a.isStrikethrough(), overline: !!a.isOverline(),
  fg: [a.getFgColorMode(), a.isFgDefault() ? 0 : a.getFgColor()], bg: [a.getBgColorMode(), a.isBgDefault() ? 0 : a.getBgColor()],
});

function state(term) {
  const core = term._core, dec = core.coreService.decPrivateModes, sets = core._charsetService, handler = core._inputHandler;
  const buffers = core._bufferService.buffers;
  return {
    modes: term.modes, insert: core.coreService.modes.insertMode, hidden: core.coreService.isCursorHidden, style: dec.cursorStyle ?? null, blink: dec.cursorBlink ?? null,
    optionBlink: !!core.optionsService.options.cursorBlink, convertEol: core.optionsService.options.convertEol,
    encoding: core.coreMouseService.activeEncoding, protocol: core.coreMouseService.activeProtocol,
    screen: term.buffer.active.type, title: handler._windowTitle, charset: name(sets.charset), level: sets.glevel, sets: [0, 1, 2, 3].map((i) => name(sets._charsets[i])),
    look: look(handler._curAttrData),
    regions: [buffers.normal, buffers.alt].map((b) => [b.scrollTop, b.scrollBottom]),
    saved: [buffers.normal, buffers.alt].map((b) => ({ look: { ...look(b.savedCurAttrData), style: 0 }, charset: name(b.savedCharset) })),
    parser: handler._parser.currentState,
  };
}

function screen(term) {
  const b = term.buffer.active, lines = [];
  for (let y = 0; y < term.rows; y++) {
    const line = b.getLine(b.baseY + y);
    let text = "";
    for (let x = 0; x < term.cols; x++) {
      const cell = line.getCell(x);
      text += cell.getChars() || (cell.getWidth() ? " " : "");
      if (cell.isInverse() || cell.isBold() || !cell.isFgDefault() || !cell.isBgDefault()) text += `<${cell.isInverse()},${cell.isBold()},${cell.getFgColor()},${cell.getBgColor()}>`;
    }
    lines.push(text);
  }
  return { lines, x: b.cursorX, y: b.cursorY };
}

const ask = (term, bytes) => new Promise((resolve) => term.write(bytes, resolve));

for await (const line of createInterface({ input: process.stdin })) {
  const { rows, cols, streams } = JSON.parse(line);
  const answers = [];
  for (const stream of streams) {
    const { term, typed } = open(rows, cols);
    await ask(term, new Uint8Array(Buffer.from(stream, "base64")));
    answers.push({ state: state(term), screen: screen(term), typed: typed() });
    term.dispose();
  }
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
