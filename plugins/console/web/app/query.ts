// Queries of pages to the server: cached, repeated, and retried until it answers.
import { QueryClient, useQuery } from '@tanstack/react-query'
import { type Answer, ApiError, ConnectionLost, send } from './client.ts'
import { onConnection } from './connection.ts'

const FRESH_MS = 10_000
const MAX_WAIT_MS = 8_000
const MAX_RETRIES = 2

/** A lost connection is always retried, a server error twice, a refusal never. */
function isWorthRetrying(failures: number, failure: Error): boolean {
  if (failure instanceof ConnectionLost) return true
  return failure instanceof ApiError && failure.status >= 500 && failures < MAX_RETRIES
}

/** Creates the cache of the pages' queries. Mutations are never retried automatically. */
export function createQueries(): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // A gateway on this machine or network can be reached without the internet.
        networkMode: 'always',
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: isWorthRetrying,
        retryDelay: (failures) => Math.min(500 * 2 ** failures, MAX_WAIT_MS),
        placeholderData: (before: unknown) => before,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
  onConnection((connected) => {
    if (connected) void queries.invalidateQueries()
  })
  return queries
}

interface ApiOptions {
  /** Repeats the query at this interval while the page is visible. */
  every_ms?: number
  enabled?: boolean
  /** Set for a query about one subject, such as a key by its id: the previous subject's answer must not be shown meanwhile. */
  is_of_one?: boolean
}

/**
 * Queries a route, again when `key` changes. Until the new answer arrives, `data` is the previous one: render it with `Loaded`, which
 * keeps the previous rendering, greyed.
 *
 * @param key the subject, then all that the answer depends on: `['calls', filters]`. Actions name the subjects that they change.
 */
export const useApi = <A extends Answer>(
  key: readonly unknown[],
  call: () => Promise<A>,
  { every_ms, enabled, is_of_one }: ApiOptions = {},
) =>
  useQuery({
    queryKey: key,
    queryFn: () => send(call()),
    enabled,
    refetchInterval: every_ms,
    ...(is_of_one && { placeholderData: undefined }),
  })
