/** Asks before a scenario is deleted from the library. */
import { confirmed } from '../../parts/confirm.tsx';

export function askToDelete(name: string): Promise<boolean> {
  return confirmed({
    title: `Delete ${name}?`,
    text: 'The library no longer has it. Projects in which it is active keep it.',
    action: 'Delete',
    isDanger: true,
  });
}
