/** Replays what a sandbox has recorded of a project. */
import { RecordingReader } from '../../src/cli/replay/read.ts';
import { replayRecording } from '../../src/cli/replay/replay.ts';

const reader = new RecordingReader();

/** Replays a recording that must be readable. */
export async function replay(recording: unknown): ReturnType<typeof replayRecording> {
  const read = await reader.read(recording, 'recording');
  if ('mistakes' in read) throw new Error(read.mistakes.join('\n'));
  return replayRecording(read);
}
