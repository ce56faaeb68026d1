/** Counts with their nouns, for the elements that are not written with Preact yet. */
export { formatCount as counted } from '../../lib/format.ts';
