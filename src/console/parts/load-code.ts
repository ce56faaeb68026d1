/** Loads code when it is needed, and shows what became of it. */
import { html, type TemplateResult } from 'lit';
import { listen } from '../data/events.ts';
import type { PageElement } from '../element.ts';
import { empty } from './empty.ts';
import { skeleton } from './skeleton.ts';

/** Loads the code with this name once. Returns what to show in its place; undefined as soon as it is loaded. */
export type CodeLoader = (name: string, load: () => Promise<unknown>) => TemplateResult | undefined;

/** After a lost connection, code that could not be loaded is tried again. */
export function createCodeLoader(host: PageElement): CodeLoader {
  const states = new Map<string, 'loading' | 'loaded' | 'failed'>();
  let stop: () => unknown = () => undefined;

  function set(name: string, state: 'loaded' | 'failed'): void {
    states.set(name, state);
    host.requestUpdate();
  }

  function forgetFailed(): void {
    for (const [name, state] of states) if (state === 'failed') states.delete(name);
    host.requestUpdate();
  }

  host.addController({
    hostConnected: () => {
      stop = listen(({ kind }) => {
        if (kind === 'missed') forgetFailed();
      });
    },
    hostDisconnected: () => stop(),
  });

  return (name, load) => {
    const state = states.get(name);
    if (state === 'loaded') return undefined;
    if (state === 'failed') {
      return empty(
        'This screen could not be loaded',
        html`<button @click=${() => location.reload()}>Load again</button>`,
      );
    }
    if (state === undefined) {
      states.set(name, 'loading');
      load().then(
        () => set(name, 'loaded'),
        () => set(name, 'failed'),
      );
    }
    return skeleton();
  };
}
