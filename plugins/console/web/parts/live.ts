// The console's live feed of calls, and feeds of server-sent events in general: read by fetch, opened again when they break.
import { useEffect, useRef, useState } from 'react'
import { ApiError, onSignedIn, sendRaw } from '../app/client.ts'
import type { CallOutcome } from './outcome.tsx'

export const LIVE_PATH = '/console/api/live'

export interface AboutCall {
  request_id: string
  /** The key's prefix. */
  key: string
  model: string
  account: string
  account_display_name: string
  /** ISO 8601. */
  at: string
}

/** The data of the feed's events. */
export type LiveEvent =
  | (AboutCall & { type: 'held' })
  | (AboutCall & { type: 'first_byte'; after_ms: number })
  | (AboutCall & {
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

/** 'lost': it was open, and is being opened again; 'crowded': too many are open, and it is tried again. */
type LiveState = 'connecting' | 'open' | 'lost' | 'crowded' | 'refused'

/**
 * Reads a feed for as long as the component is there. A refusal (no rights, signed out) ends it, until somebody signs in
 * again; anything else opens it again, and waits longer each time.
 *
 * @param path of a route that answers `text/event-stream` whose data are JSON
 * @param onEvent called with each event's data, in order
 */
export function useLive<Event>(
  path: `/${string}`,
  onEvent: (event: Event) => void,
  { enabled = true }: { enabled?: boolean } = {},
): LiveState {
  const [state, setState] = useState<LiveState>('connecting')
  const [round, setRound] = useState(0)
  const hear = useRef(onEvent)
  hear.current = onEvent

  // biome-ignore lint/correctness/useExhaustiveDependencies: each round opens it again
  useEffect(() => {
    if (!enabled) return
    const stop = new AbortController()
    setState('connecting')
    void keepOpen<Event>(path, stop.signal, { onEvent: (event) => hear.current(event), onState: setState })
    return () => stop.abort()
  }, [path, enabled, round])
  // The end of the session before has ended it.
  useEffect(() => onSignedIn(() => setRound((before) => before + 1)), [])
  return state
}

interface Hearers<Event> {
  onEvent: (event: Event) => void
  onState: (state: LiveState) => void
}

async function keepOpen<Event>(path: `/${string}`, signal: AbortSignal, hear: Hearers<Event>): Promise<void> {
  let wait_ms = MIN_WAIT_MS
  while (!signal.aborted) {
    let state: LiveState = 'lost'
    try {
      const answer = await sendRaw(path, { signal, headers: { accept: 'text/event-stream' } })
      hear.onState('open')
      wait_ms = MIN_WAIT_MS
      for await (const event of readEvents(answer)) hear.onEvent(JSON.parse(event) as Event)
    } catch (broken) {
      if (signal.aborted) return
      if (broken instanceof ApiError && broken.status === 429) state = 'crowded'
      else if (broken instanceof ApiError && broken.status < 500) return hear.onState('refused')
    }
    if (signal.aborted) return
    hear.onState(state)
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
 * The data of each event of a stream, as text, until it ends.
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
