/** The control API's evidence of a project: what was expected of it, and a recording to play again. */
import { toRecording } from '../../journal/recording.ts';
import { judge, tally } from '../../scenarios/expect.ts';
import { redactEndpoint } from '../redact.ts';
import { type ControlHandlers, type ControlParts, ok, projectOf } from './handler.ts';

function listExpectations(parts: ControlParts, project: string) {
  const world = parts.worlds.find(project);
  return parts.worlds.rulesOf(world).expectations.map((scoped) => {
    const count = world ? tally(scoped, world.data) : 0;
    return { scenario: scoped.scenario, count, ...judge(scoped.expectation, count) };
  });
}

function record(parts: ControlParts, project: string) {
  const { worlds, journal, seed, strict, profile, defaultEndpoint, defaultClock, wall } = parts;
  const world = worlds.find(project);
  // Before all else, since what is due by now is carried out.
  const nowMs = world?.moment() ?? defaultClock.nowMs ?? wall.now();
  return toRecording({
    project,
    seed,
    strict,
    profile,
    callbackEndpoint: defaultEndpoint ? redactEndpoint(defaultEndpoint.url) : null,
    begunAtMs: world?.data.begunAt ?? nowMs,
    nowMs,
    serverScenarios: (world ? worlds.scenariosAtBegin(world) : worlds.serverScenarios).map(({ source }) => source),
    magicIds: worlds.magicIds?.source,
    requests: [...journal.list(project), ...(world?.delayed ?? [])],
    settings: journal.notes(project),
    callbacks: [...(world?.data.callbacks.values() ?? [])],
    changeCount: world?.data.changeCount ?? 0,
    isKey: parts.keys.isKey,
  });
}

export const evidenceHandlers: ControlHandlers<'getExpectations' | 'getRecording'> = {
  getExpectations: (parts, request) => {
    const items = listExpectations(parts, projectOf(request));
    return ok({ met: items.every(({ met }) => met), items });
  },
  getRecording: (parts, request) => ok(record(parts, projectOf(request)) as never),
};
