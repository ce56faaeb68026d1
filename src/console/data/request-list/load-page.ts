/** Loads pages of the requests that the URL selects. A page that is outdated when it arrives is ignored. */
import { callApi, type Schemas } from '../client.ts';
import { route } from '../route.ts';
import { listPath } from './filter.ts';

export type Page = Schemas['RequestRowPage'];

type Query = Readonly<Record<string, string>>;

export const withCounts: Query = { counts: 'true' };

const nextPageSize = 500;

export function loadPage(limit: number, others?: Query): Promise<Page> {
  return callApi('GET', listPath(route.get().query, limit, others));
}

export interface PageLoader {
  /** Loads the first page. Returns undefined if another load has begun since. */
  first(limit: number, others: Query): Promise<Page | undefined>;
  /** Loads a further page. Returns undefined while another is loaded, after an error or after a restart. */
  next(others: Query): Promise<Page | undefined>;
  /** Begins another list: further pages of the one before are ignored. */
  restart(): void;
}

export function createPageLoader(): PageLoader {
  let loads = 0;
  let restarts = 0;
  let isLoadingNext = false;

  return {
    first: async (limit, others) => {
      loads += 1;
      const load = loads;
      try {
        const page = await loadPage(limit, others);
        return load === loads ? page : undefined;
      } catch (error) {
        if (load === loads) throw error;
        return undefined;
      }
    },
    next: async (others) => {
      if (isLoadingNext) return undefined;
      isLoadingNext = true;
      const restart = restarts;
      const page = await loadPage(nextPageSize, others).catch(() => undefined);
      isLoadingNext = false;
      return restart === restarts ? page : undefined;
    },
    restart: () => {
      restarts += 1;
    },
  };
}
