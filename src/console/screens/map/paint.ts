/** Paints routes, trails, stops and drivers on a canvas, at one time. */
import type { Palette } from './colors.ts';
import type { Project, Shape, Vertex } from './shapes.ts';
import { placeAt } from './trail-time.ts';

export interface Scene {
  readonly shapes: readonly Shape[];
  readonly palette: Palette;
  readonly project: Project;
  /** Pixels of the zoom level in the corner of the canvas. */
  readonly origin: Vertex;
  /** Milliseconds since 1970; undefined for the latest locations. */
  readonly time: number | undefined;
  /** Key of the selected item. */
  readonly chosen: string;
}

const faint = 0.3;
const stopRadius = 9;
const driverRadius = 8;
const jobRadius = 5;
/** Distance of a name from the middle of its driver. */
const nameDistance = driverRadius + 5;

/** Paints what does not belong to the selected item, then lines, then what `between` paints, then points and names. */
export function paintItems(context: CanvasRenderingContext2D, scene: Scene, between: () => void): void {
  const { shapes, chosen } = scene;
  const group = shapes.find(({ item }) => item.key === chosen)?.item.group;
  const isFaint = ({ item }: Shape): boolean => group !== undefined && item.group !== group;
  const rank = ({ item }: Shape): number => (item.key === chosen ? 1 : 0);
  // The selected item is on top, then the items that the list shows first.
  const inOrder = shapes.toReversed().sort((one, other) => rank(one) - rank(other));
  const others = inOrder.filter(isFaint);
  const related = inOrder.filter((shape) => !isFaint(shape));
  const paintAll = (all: readonly Shape[], ...steps: readonly (typeof paintRoute)[]): void => {
    for (const paint of steps) for (const shape of all) paint(context, shape, scene);
  };
  context.globalAlpha = faint;
  paintAll(others, paintRoute, paintTrail, paintJob, paintDriver);
  context.globalAlpha = 1;
  paintAll(related, paintRoute, paintTrail);
  between();
  paintAll(related, paintJob, paintDriver);
  paintNames(context, [...others, ...related], scene);
}

/** Returns where a shape is at the time of the scene, in pixels of the zoom level. */
export function pointOf({ item, point }: Shape, { time, project }: Scene): Vertex | undefined {
  if (item.kind !== 'device' || time === undefined || item.trail.length === 0) return point;
  const place = placeAt(item.trail, time);
  return place && project(place);
}

/** Paints the plan of a route as a dashed line. */
function paintRoute(context: CanvasRenderingContext2D, { item, lines }: Shape, scene: Scene): void {
  const { palette, origin, chosen } = scene;
  context.strokeStyle = palette.driver(item.color);
  context.lineWidth = item.key === chosen ? 4 : 2;
  context.lineJoin = 'round';
  context.lineCap = 'butt';
  context.setLineDash([6, 4]);
  for (const line of lines) trace(context, line, origin);
  context.setLineDash([]);
}

/** Paints the way so far as a line, and the rest of it faint. A trail has too many points for a dashed line. */
function paintTrail(context: CanvasRenderingContext2D, shape: Shape, scene: Scene): void {
  const { palette, origin, time } = scene;
  const head = pointOf(shape, scene);
  const alpha = context.globalAlpha;
  context.strokeStyle = palette.driver(shape.item.color);
  context.lineWidth = 3;
  context.lineCap = 'round';
  for (const part of shape.trail) {
    const now = time === undefined ? part.length : part.findIndex(({ at }) => at > time);
    const split = now === -1 ? part.length : now;
    const isHere = split > 0 && split < part.length && head !== undefined;
    trace(context, [...part.slice(0, split), ...(isHere ? [head] : [])], origin);
    context.globalAlpha = alpha * faint;
    trace(context, [...(isHere ? [head] : []), ...part.slice(split)], origin);
    context.globalAlpha = alpha;
  }
}

function trace(context: CanvasRenderingContext2D, line: readonly Vertex[], origin: Vertex): void {
  if (line.length < 2) return;
  context.beginPath();
  for (const { x, y } of line) context.lineTo(x - origin.x, y - origin.y);
  context.stroke();
}

function paintJob(context: CanvasRenderingContext2D, shape: Shape, scene: Scene): void {
  const { item, point } = shape;
  if (item.kind !== 'job' || point === undefined) return;
  const { palette, origin, chosen } = scene;
  const [x, y] = [point.x - origin.x, point.y - origin.y];
  const color = palette.driver(item.color);
  const isChosen = item.key === chosen;
  if (item.stop === undefined) {
    disc(context, x, y, jobRadius, palette.of('raised'), isChosen ? palette.of('text') : color, isChosen ? 3 : 2);
    return;
  }
  const radius = isChosen ? stopRadius + 2 : stopRadius;
  disc(context, x, y, radius, color, palette.of(isChosen ? 'text' : 'raised'), isChosen ? 2.5 : 1.5);
  context.fillStyle = palette.of('on-driver');
  context.font = `600 ${item.stop > 99 ? 8 : 11}px ${palette.font}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(String(item.stop), x, y + 0.5);
}

function paintDriver(context: CanvasRenderingContext2D, shape: Shape, scene: Scene): void {
  if (shape.item.kind !== 'device') return;
  const point = pointOf(shape, scene);
  if (point === undefined) return;
  const { palette, origin, chosen } = scene;
  const [x, y] = [point.x - origin.x, point.y - origin.y];
  const isChosen = shape.item.key === chosen;
  const color = palette.driver(shape.item.color);
  disc(context, x, y, driverRadius + 2.5, color, palette.of(isChosen ? 'text' : 'raised'), isChosen ? 3 : 1);
  disc(context, x, y, driverRadius - 2.5, color, palette.of('raised'), 2);
}

function disc(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  fill: string,
  stroke: string,
  width: number,
): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
  context.strokeStyle = stroke;
  context.lineWidth = width;
  context.stroke();
}

/** Paints the names of drivers next to them, except where a name would cover another one. */
function paintNames(context: CanvasRenderingContext2D, shapes: readonly Shape[], scene: Scene): void {
  const { palette, origin, chosen } = scene;
  const taken: (readonly [left: number, top: number, right: number])[] = [];
  const height = 18;
  const edge = context.canvas.clientWidth - 4;
  context.font = `600 12px ${palette.font}`;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  // The names of items on top win.
  for (const shape of shapes.toReversed()) {
    const { item } = shape;
    const isNamed = item.title !== item.id || item.key === chosen;
    const point = item.kind === 'device' && isNamed ? pointOf(shape, scene) : undefined;
    if (point === undefined) continue;
    const [x, top] = [point.x - origin.x, point.y - origin.y - height / 2];
    const width = context.measureText(item.title).width + 10;
    const isFree = (left: number): boolean =>
      left + width < edge &&
      taken.every(
        ([otherLeft, otherTop, otherRight]) =>
          left >= otherRight || left + width <= otherLeft || Math.abs(top - otherTop) >= height,
      );
    // At the right edge of the map, or beside another name, the name is on the left of its driver.
    const left = [x + nameDistance, x - nameDistance - width].find(isFree);
    if (left === undefined) continue;
    const right = left + width;
    taken.push([left, top, right]);
    context.fillStyle = palette.of('raised');
    context.strokeStyle = palette.driver(item.color);
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(left, top, right - left, height, 4);
    context.fill();
    context.stroke();
    context.fillStyle = palette.of('text');
    context.fillText(item.title, left + 5, top + height / 2 + 0.5);
  }
}
