/** Finds the item under the pointer. */
import type { MapItem } from './items.ts';
import { pointOf, type Scene } from './paint.ts';
import type { Vertex } from './shapes.ts';

const pointReach = 12;
const lineReach = 5;

/** Returns the nearest driver or job, or else the nearest route or trail. `at` is in pixels of the zoom level. */
export function findItemAt(scene: Scene, at: Vertex): MapItem | undefined {
  return (
    findNearest(scene, pointReach, (shape) => {
      const point = pointOf(shape, scene);
      return point === undefined ? Number.POSITIVE_INFINITY : Math.hypot(point.x - at.x, point.y - at.y);
    }) ??
    findNearest(scene, lineReach, ({ lines, trail }) =>
      Math.min(Number.POSITIVE_INFINITY, ...[...lines, ...trail].map((line) => distanceToLine(line, at))),
    )
  );
}

function findNearest(
  { shapes }: Scene,
  reach: number,
  distanceOf: (shape: Scene['shapes'][number]) => number,
): MapItem | undefined {
  let nearest: MapItem | undefined;
  let shortest = reach;
  for (const shape of shapes) {
    const distance = distanceOf(shape);
    // Of items at the same place, the first is on top.
    if (distance < shortest) {
      nearest = shape.item;
      shortest = distance;
    }
  }
  return nearest;
}

function distanceToLine(line: readonly Vertex[], at: Vertex): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (const [index, to] of line.entries()) {
    const from = line[index - 1];
    if (from !== undefined) shortest = Math.min(shortest, distanceToSegment(from, to, at));
  }
  return shortest;
}

function distanceToSegment(from: Vertex, to: Vertex, at: Vertex): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : ((at.x - from.x) * dx + (at.y - from.y) * dy) / length;
  const near = Math.max(0, Math.min(1, share));
  return Math.hypot(from.x + near * dx - at.x, from.y + near * dy - at.y);
}
