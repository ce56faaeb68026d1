/** Loaded before the program: its machine's clock is turned by as many milliseconds as a file says, while it runs. */
import { readFileSync } from 'node:fs';

const file = new URL(import.meta.url).searchParams.get('file');
const realNow = Date.now;
let turnedMs = 0;

function look() {
  turnedMs = Number(readFileSync(file, 'utf8'));
}

look();
setInterval(look, 5).unref();
Date.now = () => realNow() + turnedMs;
