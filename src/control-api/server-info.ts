/** Control API handlers for the server: health, documents, settings, and the scenario library. */
import controlDocument from '../../spec/control.yaml';
import type { Json } from '../lib/json.ts';
import type { ApiDocument } from '../openapi/api-document.ts';
import { toNullable } from '../openapi/nullable.ts';
import { toOpenApi30 } from '../openapi/openapi-30.ts';
import { toReference } from '../openapi/reference.ts';
import { type LibraryEntry, maxStoredScenarios, toUnknownName } from '../scenarios/library.ts';
import { writeScenario } from '../scenarios/write.ts';
import { findFailure } from './catalog.ts';
import { type ControlRequest, noContent, ok, reject, type SomeHandlers, slicesFor } from './handler.ts';
import {
  checkEntry,
  growthOf,
  readEntry,
  removeEntry,
  storeEntry,
  toInvalidScenario,
  toScenarioText,
} from './library.ts';
import { answerList } from './lists/answer.ts';
import { listScenarioRows } from './scenario-rows.ts';
import { readActive } from './scenarios.ts';

function summarise({ name, source, scenario }: LibraryEntry) {
  const { description, rules } = scenario;
  return { name, description, source, rules: rules.length };
}

/** Adds this server by the request's host as the first of a document, because generated clients call the first. */
function toServed(document: object, { headers: { host }, isSecure }: ControlRequest): object {
  if (host === undefined) return document;
  const here = { url: `${isSecure ? 'https' : 'http'}://${host}`, description: 'This sandbox.' };
  const { servers = [] } = document as { readonly servers?: readonly { readonly url: string }[] };
  return { ...document, servers: [here, ...servers.filter(({ url }) => url !== '/')] };
}

/** Removes the requirements of a token or a key from the document, at its root and at its operations. */
function withoutSecurity(document: ApiDocument): object {
  const strip = (item: Json): Json => ('security' in item ? { ...item, security: [] } : item);
  const paths = mapValues(document.paths, (path) => mapValues(path as Json, (item) => strip(item as Json)));
  return { ...document, paths, security: [] };
}

function mapValues(object: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

const pemHeaders = { 'content-type': 'application/x-pem-file' } as const;

const shuttingDown =
  'the sandbox is shutting down: it handles requests on open connections, and accepts no new connections';

export const serverHandlers: SomeHandlers = {
  getHealth: () => ok({ status: 'ok' }),
  // The server starts to listen only when everything is loaded, so it is ready at its first request.
  getReady: ({ isShuttingDown, isConnected }) => {
    if (isShuttingDown()) return reject('unavailable', shuttingDown);
    return isConnected() ? ok({ status: 'ready' }) : reject('unavailable', 'the sandbox cannot reach its database');
  },
  getOpenapi: ({ contract, profile }, request) => {
    const document = profile.nulls === 'ignore' ? toNullable(contract.document) : contract.document;
    const { version, view, operation } = request.query;
    const converted = version === '3.0' ? toOpenApi30(document) : document;
    const wanted = view === 'operations' ? toReference(document, operation) : converted;
    return ok(toServed(wanted, request) as never);
  },
  getControl: ({ session }, request) => {
    // Without an admin token, everything is open; a client generator would ask for a token.
    const whole = controlDocument as ApiDocument;
    const document = session.isRequired ? whole : withoutSecurity(whole);
    return ok(toServed(document, request) as never);
  },

  getSettings: ({ seed, strict, defaultClock, publishedKey, mapTiles, profile, tls, controlPlacement }, { caller }) =>
    ok({
      version: (controlDocument as { info: { version: string } }).info.version,
      seed,
      strict,
      clock: defaultClock.mode,
      clockRate: defaultClock.rate ?? 1,
      apiKey: (caller.isAdmin && publishedKey) || null,
      mapTiles: mapTiles ?? null,
      tlsUrl: tls()?.url ?? null,
      caUrl: tls()?.caUrl ?? null,
      profile: { ...profile },
      replica: controlPlacement && { id: controlPlacement.replica.id, others: controlPlacement.replica.others() },
    }),

  getCa: ({ tls, authority }) => {
    const text = authority();
    if (text !== undefined) return { status: 200, text, headers: pemHeaders };
    const why =
      tls() === undefined
        ? 'TLS is off; start the sandbox with --tls'
        : 'the file of --tls-cert does not end with a self-signed certificate; ask the issuer for the root certificate';
    return reject('notFound', `there is no certificate to trust: ${why}`);
  },

  getScenarioSchema: async () => {
    const { scenarioJsonSchema } = await import('../scenarios/parse.ts');
    return ok(scenarioJsonSchema() as Record<string, unknown>);
  },

  listScenarios: (parts, request, project) => {
    const { view, operation } = request.query;
    if (view === 'rows') return listScenarioRows(parts, request, project);
    return operation === undefined
      ? answerList(parts, request, { items: () => parts.library.list(), show: summarise })
      : reject('invalid', 'expected view=rows, which lists the failures of operations', 'query:operation');
  },

  getScenario: async (parts, { params: { name }, caller }, project) => {
    const entry = parts.library.find(name);
    if (entry) return ok({ ...summarise(entry), text: entry.text });
    const active = readActive(parts, caller, name, project);
    if (active && 'problem' in active) return active;
    const text = active ? await writeScenario(active) : findFailure(parts, name);
    if (text === undefined) return reject('notFound', toUnknownName(name, parts.library.list()));
    return ok({ name, source: active ? 'inline' : 'catalog', rules: active?.rules.length ?? 1, text });
  },

  putScenario: async (parts, request) => {
    const { name } = request.params;
    const text = toScenarioText(request);
    const read = await readEntry(slicesFor(parts, request), name, text);
    if (!read.entry) return toInvalidScenario(request, read.issues);
    const { entry } = read;
    const growth = growthOf(parts, entry);
    const full = growth > 0 ? parts.admission.admitBytes(growth) : undefined;
    if (full) return { problem: full };
    if (!parts.library.hasRoomFor(name)) {
      const most = `the library stores at most ${maxStoredScenarios.toLocaleString('en')} scenarios`;
      return reject('conflict', `${most}: DELETE scenarios that are no longer needed`);
    }
    if (parts.controlPlacement) await parts.controlPlacement.shareScenario(name, text);
    else storeEntry(parts, entry);
    return ok(summarise(entry));
  },

  checkScenario: async (parts, request) => ok(await checkEntry(slicesFor(parts, request), toScenarioText(request))),

  deleteScenario: async (parts, { params: { name } }) => {
    const found = parts.library.find(name);
    if (!found) return reject('notFound', toUnknownName(name, parts.library.list()));
    if (found.source !== 'control') {
      const message = `only scenarios stored by PUT can be deleted; the source of "${name}" is ${found.source}`;
      return reject('notFound', message);
    }
    if (parts.controlPlacement) await parts.controlPlacement.shareScenario(name, undefined);
    else removeEntry(parts, name);
    return noContent;
  },
};
