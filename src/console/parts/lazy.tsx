/** A part of the page whose code is loaded when it is first shown, and again after a lost connection. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { listen } from '../events.ts';
import { Empty, Skeleton } from './small.tsx';

/** Loads the module of a part. */
export type Load = () => Promise<{ readonly default: ComponentType }>;

const parts = new Map<Load, ComponentType>();

export function Lazy({ load }: { readonly load: Load }) {
  const [isFailed, setIsFailed] = useState(false);
  const [, renderAgain] = useState(false);
  useEffect(() => {
    const start = async (): Promise<void> => {
      if (parts.has(load)) return;
      setIsFailed(false);
      try {
        parts.set(load, (await load()).default);
        renderAgain(true);
      } catch {
        setIsFailed(true);
      }
    };
    void start();
    return listen(({ kind }) => kind === 'missed' && start());
  }, []);
  const Part = parts.get(load);
  if (Part) return <Part />;
  if (!isFailed) return <Skeleton rows={12} />;
  return (
    <Empty line="This screen could not be loaded">
      <button type="button" onClick={() => location.reload()}>
        Load again
      </button>
    </Empty>
  );
}
