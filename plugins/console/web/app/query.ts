// Requests of pages to the server: cached, repeated, and retried until it answers.
import { QueryClient, useQuery } from '@tanstack/react-query'
import { type Answer, ApiError, ConnectionLost, send } from './client.ts'
import { onConnection } from './connection.ts'

const FRESH_MS = 10_000
const MAX_WAIT_MS = 8_000
const MAX_RETRIES = 2

/** Retried are failures of the moment only; a refusal stands. */
function isWorthRetrying(failures: number, failure: Error): boolean {
  if (failure instanceof ConnectionLost) return true
  return failure instanceof ApiError && failure.status >= 500 && failures < MAX_RETRIES
}

/** The cache of a signed-in visit. Actions are never retried by themselves. */
export function createQueries(): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // A gateway on this machine or in this network is there without the internet.
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
  /** Repeats it while the page is in view. */
  every_ms?: number
  /** It waits while this is false. */
  enabled?: boolean
  /** Of one subject, such as a key by its number: the answer about another one is no answer. */
  is_of_one?: boolean
}

/**
 * The answer of a route, read again when `key` changes. The last answer stays in view, greyed, until the new one is there: draw it with
 * `Loaded`, which reads it as what it is of.
 *
 * @param key the subject first, then all that the answer depends on: `['calls', filters]`; actions name the subjects that
 * they change
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
