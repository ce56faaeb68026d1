/** Finds what a text names: records, requests, callbacks and scenarios by their ids. */
import { callApi } from '../data/client.ts';
import { linkTo } from '../data/route.ts';
import type { Choice } from '../parts/choice-list.ts';
import type { IconName } from '../parts/icon.ts';
import { screens } from '../screens.ts';

interface Found {
  readonly kind: 'record' | 'entity' | 'request' | 'callback' | 'scenario' | 'project';
  readonly id: string;
  readonly project?: string;
  readonly collection?: string;
}

const icons: Readonly<Record<Found['kind'], IconName>> = {
  record: 'database',
  entity: 'search',
  request: 'list',
  callback: 'webhook',
  scenario: 'flask-conical',
  project: 'box',
};

/** @throws {ApiError} if the sandbox does not answer */
export async function search(text: string, project: string | undefined): Promise<readonly Choice[]> {
  const query = new URLSearchParams({ q: text.slice(0, 200), limit: '12', ...(project !== undefined && { project }) });
  const { items } = await callApi<{ items: readonly Found[] }>('GET', `/search?${query}`);
  return items.map(toChoice);
}

/** Returns links that need no search: the text may be an id, or part of a request. */
export function direct(text: string, project: string | undefined): readonly Choice[] {
  const at = project === undefined ? {} : { project };
  const go = (href: string) => () => {
    location.hash = href;
  };
  const choices: Choice[] = [
    {
      key: 'requests',
      group: 'Search',
      title: `Search requests for “${text}”`,
      icon: 'search',
      run: go(linkTo('live', { ...at, q: text })),
    },
  ];
  if (project !== undefined && screens.entity) {
    const run = go(linkTo('entity', { project, id: text }));
    choices.push({ key: 'entity', group: 'Search', title: `Everything about ${text}`, icon: 'rotate-ccw-clock', run });
  }
  return choices;
}

function toChoice(found: Found): Choice {
  const { kind, id, project, collection } = found;
  return {
    ...{ key: `found ${kind} ${project} ${collection} ${id}`, group: 'Found', title: id, icon: icons[kind] },
    hint: [kind === 'entity' ? 'not stored' : (collection ?? kind), project]
      .filter((one) => one !== undefined)
      .join(' · '),
    run: () => {
      location.hash = toLink(found);
    },
  };
}

function toLink({ kind, id, project, collection = '' }: Found): string {
  // Without a project of its own, such as a shipped scenario, it is shown in the chosen one.
  const at = project === undefined ? {} : { project };
  switch (kind) {
    case 'record':
      return screens.entity ? linkTo('entity', { ...at, id }) : linkTo('records', { ...at, collection, record: id });
    case 'entity':
      return screens.entity ? linkTo('entity', { ...at, id }) : linkTo('live', { ...at, q: id });
    case 'request':
      return linkTo('live', { ...at, request: id });
    case 'callback':
      return linkTo('callbacks', { ...at, callback: id });
    case 'scenario':
      return linkTo('scenarios', { ...at, view: 'editor', edit: id });
    case 'project':
      return linkTo('live', { project: id });
    default:
      return kind satisfies never;
  }
}
