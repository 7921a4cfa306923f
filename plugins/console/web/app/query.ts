// What pages ask the server: kept, asked again, and asked until it answers.
import { QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type Answer, ApiError, ask, ConnectionLost } from './client.ts'
import { onConnection } from './connection.ts'

const FRESH_MS = 10_000
const MAX_WAIT_MS = 8_000
const MAX_RETRIES = 2

/** Questions are asked again when they failed for the moment only; a refusal stands. */
function isWorthRetrying(failures: number, failure: Error): boolean {
  if (failure instanceof ConnectionLost) return true
  return failure instanceof ApiError && failure.status >= 500 && failures < MAX_RETRIES
}

/** The answers of a signed-in visit. Actions are never retried by themselves. */
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

/** What of a question can be set. */
export interface AskOptions {
  /** Asks again after so many milliseconds, while the page is in view. */
  every_ms?: number
  /** False while there is nothing to ask yet. */
  enabled?: boolean
}

/**
 * Asks a route, and again when `key` changes. The last answer stays in view, greyed, until the new one is there.
 *
 * @param key the subject first, then all that the question depends on: `['calls', filters]`; actions name the subjects that
 * they change
 */
export function useAsk<A extends Answer>(
  key: readonly unknown[],
  call: () => Promise<A>,
  { every_ms, enabled = true }: AskOptions = {},
): UseQueryResult<NonNullable<A['data']>, Error> {
  return useQuery<NonNullable<A['data']>, Error>({
    queryKey: key,
    queryFn: () => ask(call()),
    enabled,
    refetchInterval: every_ms ?? false,
  })
}
