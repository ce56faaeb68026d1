/** The map of Records: the drivers, routes and jobs of a project, on a map and in a list. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatCount } from '../../lib/format.ts';
import type { Schemas } from '../api.ts';
import { placeText, recordTime, visible } from '../format.ts';
import { moveFocus } from '../keys.ts';
import { OfProject } from '../parts/project.tsx';
import { Empty, ErrorNote, Facts, IconAction, Skeleton } from '../parts/small.tsx';
import { choose, linkTo, route } from '../route.ts';
import { settings } from '../state.ts';
import '../styles/map.css';
import { useProjectApi } from '../use-api.ts';
import { colorOf, type Feature, type Item, PlacesMap, positionsOf } from './map-layers.ts';
import { Collections } from './records.tsx';

type ProjectMap = Schemas['ProjectMap'];

/** Maximum number of rows. A search finds the others. */
const maxRows = 200;

export default function MapScreen() {
  return (
    <OfProject title="Records" what="map">
      <Collections current="map" />
      <Places />
    </OfProject>
  );
}

function Places() {
  const { value, errorText } = useProjectApi<ProjectMap>('/map');
  const items = useMemo(() => toItems(value?.features ?? []), [value]);
  const tiles = settings.value?.mapTiles ?? undefined;
  return (
    <>
      <p class="quiet" role="status">
        {value && toSummary(value)}
      </p>
      <ErrorNote text={errorText} />
      {value?.features.length === 0 ? (
        <Empty line="No locations yet">
          <p>
            Send the location of a device, or jobs with <code>address.geoJson</code>. Coordinates are [longitude,
            latitude].
          </p>
          <a class="button" href={linkTo('reference', { operation: 'submitLocation' })}>
            Send a location from the API reference
          </a>
        </Empty>
      ) : (
        <div class="map-halves">
          <WorldMap items={items} isLoaded={value !== undefined} tiles={tiles} />
          <div class="map-side column">
            {!value && errorText === '' && <Skeleton rows={12} />}
            {items.length > 0 && <Items items={items.filter(({ key }) => !key.startsWith('trail:'))} />}
          </div>
        </div>
      )}
    </>
  );
}

function toSummary({ counts: { drivers, jobs, routes, unplaced }, isCut }: ProjectMap): string {
  const counts = [formatCount(drivers, 'driver'), formatCount(jobs, 'job'), formatCount(routes, 'route')].join(', ');
  return [counts, unplaced > 0 && `${unplaced} without a location`, isCut && 'only the first 5,000 of each collection']
    .filter(Boolean)
    .join('; ');
}

/** A driver, its trail, its routes and their stops have the same color. */
function toItems(features: readonly Feature[]): readonly Item[] {
  const groups = [...new Set(features.flatMap(({ properties: { group } }) => group ?? []))];
  return features.map((feature) => {
    const { kind, id, group, driver } = feature.properties;
    const isDriver = kind === 'device' || kind === 'trail';
    return {
      key: `${kind}:${id}`,
      feature,
      title: (isDriver ? driver : undefined) ?? id,
      hue: group === undefined ? undefined : firstHue + hueStep * groups.indexOf(group),
    };
  });
}

/** Degrees between the colors of drivers: the next ones are far from each other. */
const hueStep = 137.5;
const firstHue = 170;

interface WorldMapProps {
  readonly items: readonly Item[];
  readonly isLoaded: boolean;
  readonly tiles: string | undefined;
}

/** Keeps the map in step with its items and with the URL. */
function WorldMap({ items, isLoaded, tiles }: WorldMapProps) {
  const host = useRef<HTMLDivElement>(null);
  const map = useRef<PlacesMap | undefined>(undefined);
  const { chosen = '', view = '' } = route.value.query;

  useEffect(() => {
    if (!host.current) return;
    map.current = new PlacesMap(host.current, {
      choose: (key) => choose({ chosen: key }),
      moved: (moved) => choose({ view: moved }, true),
    });
    return () => map.current?.remove();
  }, []);
  // Tiles of the whole world would be loaded for nothing.
  useEffect(() => map.current?.showTiles(isLoaded ? tiles : undefined), [tiles, isLoaded]);
  useEffect(() => map.current?.draw(items, chosen), [items, chosen]);
  useEffect(() => map.current?.showArea(items, chosen, view, isLoaded), [items, chosen, view, isLoaded]);

  const fitAll = (): void => {
    choose({ view: '', chosen: '' });
    map.current?.fit(items);
  };
  return (
    <div class="map-frame">
      <div
        ref={host}
        class="map-canvas"
        role="region"
        aria-label="Map: arrow keys move it, + and − zoom. The list has the same items"
      />
      <div class="map-buttons" role="group" aria-label="Zoom">
        <IconAction icon="plus" label="Zoom in" act={() => map.current?.zoom(1)} />
        <IconAction icon="minus" label="Zoom out" act={() => map.current?.zoom(-1)} />
        <button type="button" class="icon" title="Show all items" onClick={fitAll}>
          Fit
        </button>
      </div>
    </div>
  );
}

/** The items as a list, which Tab enters once and arrow keys move through. */
function Items({ items }: { readonly items: readonly Item[] }) {
  const { q = '', chosen = '' } = route.value.query;
  const matching = items.filter((item) => toText(item).includes(q.toLowerCase()));
  const shown = matching.slice(0, maxRows);
  const selected = items.find(({ key }) => key === chosen);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector('[aria-pressed="true"]')?.scrollIntoView({ block: 'nearest' }), [chosen]);
  const entry = shown.find(({ key }) => key === chosen) ?? shown[0];
  const sections = ['Drivers', 'Routes', 'Other jobs']
    .map((title) => [title, shown.filter((item) => sectionOf(item) === title)] as const)
    .filter(([, rows]) => rows.length > 0);
  return (
    <>
      <input
        type="search"
        aria-label="Search the list"
        placeholder="Name, id, status or address"
        value={q}
        onInput={({ currentTarget }) => choose({ q: currentTarget.value }, true)}
      />
      <div
        ref={list}
        class="map-rows"
        role="region"
        aria-label="Items on the map"
        onKeyDown={(event) => moveFocus(event, 'button:enabled')}
      >
        {sections.map(([title, rows]) => (
          <>
            <h2>{title}</h2>
            <ul>
              {rows.map((item) => (
                <li key={item.key}>
                  <Row item={item} isChosen={item.key === chosen} isEntry={item === entry} />
                </li>
              ))}
            </ul>
          </>
        ))}
        {shown.length === 0 && <p class="empty">No matches.</p>}
        {matching.length > maxRows && (
          <p class="quiet">
            The first {maxRows} of {matching.length.toLocaleString('en')} items. Search to find the others.
          </p>
        )}
      </div>
      {selected && <Selected item={selected} />}
    </>
  );
}

function sectionOf({ feature: { properties } }: Item): string {
  if (properties.kind === 'device') return 'Drivers';
  return properties.kind === 'route' || properties.stop !== undefined ? 'Routes' : 'Other jobs';
}

function toText({ title, feature: { properties } }: Item): string {
  return [title, ...Object.values(properties)].join(' ').toLowerCase();
}

/** Describes an item in one line beside its title. */
function toDetail({ feature }: Item): string {
  const { kind, driver, stops = 0, status, address } = feature.properties;
  if (kind === 'device') return placeText(positionsOf(feature)[0] ?? []);
  const parts = kind === 'route' ? [driver, formatCount(stops, 'stop')] : [status, address];
  return parts.filter((part) => part !== undefined).join(' · ');
}

interface RowProps {
  readonly item: Item;
  readonly isChosen: boolean;
  /** Whether Tab reaches it. */
  readonly isEntry: boolean;
}

function Row({ item, isChosen, isEntry }: RowProps) {
  const { key, title, feature } = item;
  const { id, kind } = feature.properties;
  return (
    <button
      type="button"
      class={`item map-row ${isChosen ? 'chosen' : ''}`}
      aria-pressed={isChosen}
      tabIndex={isEntry ? 0 : -1}
      disabled={feature.geometry === null}
      onClick={() => choose({ chosen: isChosen ? '' : key, view: '' })}
    >
      <Swatch item={item} />
      {kind === 'device' && <span class="unseen">driver </span>}
      <span class={`title ${title === id ? 'mono' : ''}`}>{visible(title)}</span>{' '}
      <span class={`quiet small one-line ${kind === 'device' ? 'place' : ''}`}>{visible(toDetail(item))}</span>
    </button>
  );
}

/** The sign of an item, in the color and form that it has on the map. */
function Swatch({ item }: { readonly item: Item }) {
  const { kind, stop } = item.feature.properties;
  const style = { '--hue': item.hue };
  if (stop === undefined) return <span class={`swatch ${kind} ${colorOf(item)}`} style={style} aria-hidden="true" />;
  return (
    <span class={`swatch stop ${colorOf(item)}`} style={style}>
      <span class="unseen">stop </span>
      {stop}{' '}
    </span>
  );
}

const collections = { device: 'locations', trail: 'locations', route: 'routes', job: 'jobs' } as const;

function Selected({ item }: { readonly item: Item }) {
  const { title, feature } = item;
  const { kind, id, driver, at, status, address, route: of, stop, stops } = feature.properties;
  const [place] = positionsOf(feature);
  return (
    <section class="card column" aria-label="Selected item">
      <div class="row">
        <h2 class="row">
          <Swatch item={item} /> {visible(title)}
        </h2>
        <a
          class="push"
          aria-label={`Record of ${kind} ${id}`}
          href={linkTo('records', { collection: collections[kind], record: id })}
        >
          Record
        </a>
      </div>
      <Facts
        of={[
          ['Device', kind === 'device' && id],
          ['Last location', at !== undefined && `${recordTime(at)} UTC`],
          ['Driver', kind === 'route' && driver],
          ['Stops', kind === 'route' && stops],
          ['Status', status],
          ['Address', address],
          ['Route', of !== undefined && `${of}, stop ${stop} of ${stops}`],
          ['Latitude, longitude', kind !== 'route' && place && <span class="mono">{placeText(place)}</span>],
        ]}
      />
    </section>
  );
}
