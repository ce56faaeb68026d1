/** Collects the recordings of a sandbox: one for each life of a project, which a reset or an eviction ends. */
import type { CapturedRecording } from '../../journal/recording.ts';
import type { Project } from '../../project/project.ts';
import type { RunningSandbox } from '../../server.ts';

/** The recording of one life of a project. */
export interface RecordedLife {
  readonly project: string;
  /** Number among the lives of the project in which something happened, from 1. */
  readonly life: number;
  readonly recording: CapturedRecording;
}

export interface RecordingCollector {
  /** Adds the projects that remain, stops collecting, and returns all lives in the order of their ends. */
  finish(): readonly RecordedLife[];
}

/** Maximum memory of the requests of ended lives, in bytes. Beyond it, the oldest lives lose their changes. */
const maxEndedBytes = 256 * 1024 ** 2;

const tooLarge = 'the recordings of projects that were reset or evicted took too much memory';

/**
 * Starts to collect. Start the sandbox with `keepsAllRequests`: otherwise long recordings are incomplete. Subscribe to
 * `onDiscard` afterwards, because a recording includes the work that is due at the end of its life.
 */
export function collectRecordings(
  { projects, journal, recording }: Pick<RunningSandbox, 'projects' | 'journal' | 'recording'>,
  maxBytes: number = maxEndedBytes,
): RecordingCollector {
  const ended: { life: RecordedLife; readonly bytes: number }[] = [];
  const lifeCounts = new Map<string, number>();
  let bytes = 0;
  let dropped = 0;

  /** Returns the size of the requests of the life, in bytes. */
  function add({ id, state }: Project): number {
    if (state.changeCount === 0) return 0;
    const life = (lifeCounts.get(id) ?? 0) + 1;
    lifeCounts.set(id, life);
    const size = journal.bytes(id);
    ended.push({ life: { project: id, life, recording: recording(id) }, bytes: size });
    return size;
  }

  function dropOldest(): void {
    const oldest = ended[dropped];
    dropped += 1;
    if (!oldest) return;
    bytes -= oldest.bytes;
    const withoutChanges = { ...oldest.life.recording, complete: false, incomplete: tooLarge, changes: [] };
    oldest.life = { ...oldest.life, recording: withoutChanges };
  }

  const unsubscribe = projects.on('discard', (project, { what }) => {
    if (what !== 'everything') return;
    bytes += add(project);
    while (bytes > maxBytes && dropped < ended.length) dropOldest();
  });

  return {
    finish: () => {
      unsubscribe();
      for (const project of projects.list()) add(project);
      return ended.map(({ life }) => life);
    },
  };
}
