/** Loads the outlines of the world's countries, which are part of the console. */
import { feature } from 'topojson-client';
import address from 'world-atlas/countries-50m.json?url';
import { splitAtMeridian } from './rings.ts';

type Topology = Parameters<typeof feature>[0];
type Countries = Parameters<typeof feature>[1];

let loaded: Promise<GeoJSON.FeatureCollection> | undefined;

export function loadOutlines(): Promise<GeoJSON.FeatureCollection> {
  loaded ??= load().catch((error: unknown) => {
    // The next map tries to load them again.
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(): Promise<GeoJSON.FeatureCollection> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`cannot load the country outlines: status ${response.status}`);
  const topology = (await response.json()) as Topology;
  const countries = feature(topology, topology.objects['countries'] as Countries) as GeoJSON.FeatureCollection;
  const features = countries.features.map((country) => ({ ...country, geometry: splitAtMeridian(country.geometry) }));
  return { ...countries, features };
}
