/** The route, for the elements that are not written with Preact yet. */
import { type Route, route as signal } from '../route.ts';
import { type Store, toStore } from './store.ts';

export { choose, linkTo, type Route, type ScreenName } from '../route.ts';

export const route: Store<Route> = toStore(signal);
