/** What a check of a receiver is: callbacks that are sent to it, and what has to come back. */
import type { CallbackMessage, CallbackType, FailedEntry } from '../callbacks/callback.ts';
import type { Outcome } from '../callbacks/send.ts';
import type { Message, SignatureHeaders } from '../callbacks/signature.ts';

/** One check. Each group's file holds a table of them; another check is another object in it. */
export interface Check {
  /** What a good receiver does, as the report has it. */
  readonly name: string;
  /** Why that matters, for whoever owns a receiver that does otherwise. */
  readonly why: string;
  /** How to mend it. */
  readonly mend: string;
  play(play: Play): Promise<Finding>;
}

/** Checks that stand together in the report. */
export interface Group {
  readonly name: string;
  readonly checks: readonly Check[];
}

/** What a check found. */
export type Finding =
  | { readonly ok: true; readonly note: string }
  | {
      readonly ok: false;
      readonly note: string;
      /** Why no other check could tell anything after this. */
      readonly ends?: string;
      /** What to look at first then. */
      readonly hint?: string;
    };

/** A callback that was made, and may be sent several times. */
export interface Letter {
  /** Its webhook-id: the same over all attempts. */
  readonly id: string;
  readonly type: CallbackType;
  /** The text of its body. */
  readonly text: string;
}

/** What a letter tells; all that is left out is usual. */
export interface About {
  readonly type?: CallbackType;
  readonly projectId?: string;
  readonly subProjectId?: string;
  readonly failed?: readonly FailedEntry[];
  /** How long before now the failures became known. */
  readonly agedMs?: number;
  /** Writes the message otherwise than the sandbox does. */
  readonly write?: (message: CallbackMessage) => string;
}

/** How a letter is sent, where that is not as ever. */
export interface Manner {
  /** The headers that a receiver verifies. */
  readonly sign?: (message: Message) => Promise<Partial<SignatureHeaders>>;
  /** The body piece by piece; `cut` closes the connection. */
  readonly pieces?: (bytes: Buffer, cut: () => void) => AsyncIterable<Uint8Array>;
}

/** What became of one attempt. */
export interface Answer {
  readonly outcome: Outcome;
  readonly ms: number;
}

/** What checks are played with. */
export interface Play {
  /** A new callback. */
  letter(about?: About): Letter;
  /** Makes one attempt. */
  post(letter: Letter, manner?: Manner): Promise<Answer>;
  /** The wall time of one attempt. */
  readonly attemptMs: number;
  /** Waits between two pieces of a body. */
  pause(): Promise<void>;
  /** Keeps the first letter that was taken: later ones are of its type. */
  noteTaken(letter: Letter): void;
  /** The first letter that was taken. */
  firstTaken(): Letter;
  /** Which secret signs, in words. */
  readonly secretWords: string;
}
