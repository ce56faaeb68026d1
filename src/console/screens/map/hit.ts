/** Finds the item under the pointer, and the time at this point of a trail. */
import type { MapItem } from './items.ts';
import { pointOf, type Scene } from './paint.ts';
import type { Shape, TimedVertex, Vertex } from './shapes.ts';

export interface Hit {
  readonly item: MapItem;
  /** When the device was at this point of its trail; undefined for all others. */
  readonly at: number | undefined;
}

interface Near {
  readonly distance: number;
  readonly at?: number;
}

const nowhere: Near = { distance: Number.POSITIVE_INFINITY };

const pointReach = 12;
const lineReach = 5;

/** Returns the nearest driver or job, or else the nearest route or trail. `at` is in pixels of the zoom level. */
export function findItemAt(scene: Scene, at: Vertex): Hit | undefined {
  return (
    findNearest(scene, pointReach, (shape) => {
      const point = pointOf(shape, scene);
      return point === undefined ? nowhere : { distance: Math.hypot(point.x - at.x, point.y - at.y) };
    }) ??
    findNearest(scene, lineReach, ({ lines, trail }) =>
      nearestOf([...lines.map((line) => nearLine(line, at)), ...trail.map((line) => nearLine(line, at))]),
    )
  );
}

function findNearest({ shapes }: Scene, reach: number, nearOf: (shape: Shape) => Near): Hit | undefined {
  let nearest: Hit | undefined;
  let shortest = reach;
  for (const shape of shapes) {
    const { distance, at } = nearOf(shape);
    // Of items at the same place, the first is on top.
    if (distance < shortest) {
      nearest = { item: shape.item, at };
      shortest = distance;
    }
  }
  return nearest;
}

function nearestOf(all: readonly Near[]): Near {
  return all.reduce((best, one) => (one.distance < best.distance ? one : best), nowhere);
}

function nearLine(line: readonly (Vertex | TimedVertex)[], at: Vertex): Near {
  return nearestOf(line.slice(1).map((to, index) => nearSegment(line[index] ?? to, to, at)));
}

function nearSegment(from: Vertex | TimedVertex, to: Vertex | TimedVertex, at: Vertex): Near {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : ((at.x - from.x) * dx + (at.y - from.y) * dy) / length;
  const near = Math.max(0, Math.min(1, share));
  const distance = Math.hypot(from.x + near * dx - at.x, from.y + near * dy - at.y);
  return 'at' in from && 'at' in to ? { distance, at: from.at + near * (to.at - from.at) } : { distance };
}
