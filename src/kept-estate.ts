/** What a project has left, to go on with: read from its file and its log, or handed over before it was written. */
import type { Endpoint } from './callbacks/callback.ts';
import { type CompiledScenario, compileWith } from './scenarios/compile.ts';
import type { Expressions } from './scenarios/matcher.ts';
import { logEnding } from './store/file-box.ts';
import type { Estate, World } from './world.ts';
import type { WorldData } from './world-data.ts';
import { DamagedFile, fromWorldText, type WorldFile } from './world-file.ts';
import { carryOutLog, type WorldLog } from './world-log.ts';
import { resume } from './world-resume.ts';

/** A world by its text and its log, of a file so named. @throws DamagedFile */
export function readWorld(text: string, log: string, name: string, usual: Endpoint | undefined): WorldFile {
  const file = fromWorldText(text, name, usual);
  try {
    carryOutLog(file.data, file.edition, log);
  } catch (error) {
    throw new DamagedFile(`its log, ${name}${logEnding}, is damaged at ${(error as Error).message}`);
  }
  return file;
}

/** The world was let go and not written yet, so its data goes on in another. */
export function toHandedOver({ data, scenarios }: World, log: WorldLog): Estate {
  resume(data);
  log.end();
  return { data, scenarios };
}

/** What was read, as far as a world needs it. */
export function toEstate(data: WorldData, expressions: Expressions): Estate {
  resume(data);
  const scenarios = data.scenarios.map((scenario): CompiledScenario => compileWith(scenario, expressions));
  return { data, scenarios };
}

/** Why a file can't be used. */
export function toReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EISDIR') return 'is a folder, in the place of a file';
  return code === undefined ? message : `can't be read (${code})`;
}
