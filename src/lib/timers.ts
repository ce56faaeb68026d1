/**
 * The timers of Node, as they are when this module loads. The sandbox of the test kit runs in the process of a test, which
 * may replace them by fake ones that never fire.
 */
import * as current from 'node:timers';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

export const timers: typeof current = { ...current };

/** Resolves in the next turn of the event loop. */
export const nextTurn: typeof turn = turn;

/** Resolves after a time in milliseconds. */
export const sleep: typeof delay = delay;
