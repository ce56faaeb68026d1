/** Lets a number of commands work at a time. One that waits on a failure of the sandbox gives its slot to another. */

/** Maximum number of commands that wait beside those that work. */
export const maxWaiting = 8;

export class Slots {
  readonly #jobs: number;
  readonly #queue: (() => void)[] = [];
  #working = 0;
  #waiting = 0;

  constructor(jobs: number) {
    this.#jobs = jobs;
  }

  /**
   * Starts a run when a slot is free; one that is `urgent` comes before the others. The run calls `onWait` when it begins
   * to wait, and when it goes on. With one slot, nothing else runs meanwhile.
   */
  async run<Result>(
    isUrgent: boolean,
    start: (onWait: (isWaiting: boolean) => void) => Promise<Result>,
  ): Promise<Result> {
    if (this.#working < this.#jobs) this.#working += 1;
    else await new Promise<void>((free) => (isUrgent ? this.#queue.unshift(free) : this.#queue.push(free)));
    let waits = false;
    const onWait = (isWaiting: boolean): void => {
      if (isWaiting === waits || this.#jobs === 1 || (isWaiting && this.#waiting === maxWaiting)) return;
      waits = isWaiting;
      this.#waiting += isWaiting ? 1 : -1;
      this.#working += isWaiting ? -1 : 1;
      this.#fill();
    };
    try {
      return await start(onWait);
    } finally {
      onWait(false);
      this.#working -= 1;
      this.#fill();
    }
  }

  #fill(): void {
    while (this.#working < this.#jobs && this.#queue.length > 0) {
      this.#working += 1;
      this.#queue.shift()?.();
    }
  }
}
