// Feeds of server-sent events, such as the live feed of calls: read by fetch, and reopened when the connection breaks.
import { useEffect, useRef, useState } from 'react'
import { ApiError, onSignedIn, sendRaw } from '../app/client.ts'
import type { CallOutcome } from './outcome.tsx'

export const LIVE_PATH = '/console/api/live'

export interface CallSubject {
  request_id: string
  key: string
  model: string
  account: string
  account_display_name: string
  at: string
}

export type LiveEvent =
  | (CallSubject & { type: 'held' })
  | (CallSubject & { type: 'first_byte'; after_ms: number })
  | (CallSubject & {
      type: 'settled'
      outcome: CallOutcome
      status: number
      duration_ms: number
      cost_nanos: number
    })
  | { type: 'skipped'; events: number }
  | { type: 'ping' }

const MIN_WAIT_MS = 500
const MAX_WAIT_MS = 10_000

/** 'lost': the connection broke, and is reopened; 'crowded': too many feeds are open (429), and it is retried. */
type LiveState = 'connecting' | 'open' | 'lost' | 'crowded' | 'refused'

/**
 * Reads a feed while the component is mounted. A refusal (no rights, signed out) ends it until the user signs in again; after any
 * other failure it is reopened, with longer waits each time.
 *
 * @param path a route that answers `text/event-stream` with JSON data
 * @param onEvent called with the data of each event, in order
 */
export function useLive<Event>(
  path: `/${string}`,
  onEvent: (event: Event) => void,
  { enabled = true }: { enabled?: boolean } = {},
): LiveState {
  const [state, setState] = useState<LiveState>('connecting')
  const [round, setRound] = useState(0)
  const notify = useRef(onEvent)
  notify.current = onEvent

  // biome-ignore lint/correctness/useExhaustiveDependencies: each round opens the feed again
  useEffect(() => {
    if (!enabled) return
    const stop = new AbortController()
    setState('connecting')
    void keepOpen<Event>(path, stop.signal, { onEvent: (event) => notify.current(event), onState: setState })
    return () => stop.abort()
  }, [path, enabled, round])
  // The end of the previous session has ended the feed.
  useEffect(() => onSignedIn(() => setRound((before) => before + 1)), [])
  return state
}

interface Handlers<Event> {
  onEvent: (event: Event) => void
  onState: (state: LiveState) => void
}

async function keepOpen<Event>(path: `/${string}`, signal: AbortSignal, on: Handlers<Event>): Promise<void> {
  let wait_ms = MIN_WAIT_MS
  while (!signal.aborted) {
    let state: LiveState = 'lost'
    try {
      const answer = await sendRaw(path, { signal, headers: { accept: 'text/event-stream' } })
      on.onState('open')
      wait_ms = MIN_WAIT_MS
      for await (const event of readEvents(answer)) on.onEvent(JSON.parse(event) as Event)
    } catch (failure) {
      if (signal.aborted) return
      if (failure instanceof ApiError && failure.status === 429) state = 'crowded'
      else if (failure instanceof ApiError && failure.status < 500) return on.onState('refused')
    }
    if (signal.aborted) return
    on.onState(state)
    await pause(wait_ms, signal)
    wait_ms = Math.min(wait_ms * 2, MAX_WAIT_MS)
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/**
 * Yields the data of each event of a stream, as text.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export async function* readEvents({ body }: Response): AsyncGenerator<string> {
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let waiting = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      waiting += value.replaceAll('\r\n', '\n')
      const events = waiting.split('\n\n')
      waiting = events.pop() ?? ''
      for (const event of events) {
        const data = dataOf(event)
        if (data !== '') yield data
      }
    }
  } finally {
    await reader.cancel()
  }
}

const dataOf = (event: string): string =>
  event
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).replace(/^ /, ''))
    .join('\n')
