// Owns the simulator: a vendor in a box, so that everything runs without a vendor's key. It is a program of its own, that
// shares nothing with the gateway, and can be called in-process or be served on a socket with Bun.serve.

import { reply, type Totals, totalsOf } from './answer.ts'
import { anthropic } from './anthropic/index.ts'
import { type Behaviour, parseBehaviour } from './behaviour.ts'
import { createPrefixCache, type PrefixCache } from './cache.ts'
import { deliver } from './delivery.ts'
import {
  type Call,
  type Dialect,
  type Framing,
  isQuery,
  isRefusal,
  type Query,
  type Refusal,
  type Telling,
} from './dialect.ts'
import { isForm, readForm } from './form.ts'
import { gemini } from './gemini/index.ts'
import { isObject, type JsonObject } from './json.ts'
import { connectionRefused, mishapOf } from './mishaps.ts'
import { openai } from './openai/index.ts'
import { openaiImages } from './openai-images/index.ts'
import { decodeReferences } from './references.ts'
import { type Sleep, sleep as sleepReally, untilAborted } from './waiting.ts'

/** What the simulated vendor saw; `call` counts the requests from 1. */
export type SimulatorEvent = { readonly call: number; readonly at_ms: number } & (
  | { readonly kind: 'request'; readonly request: Request; readonly body: JsonObject | undefined }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'finished' | 'broken'; readonly sent_events: number; readonly totals: Totals }
  | { readonly kind: 'aborted'; readonly sent_events: number }
)

export interface SimulatorOptions {
  now?: () => number
  sleep?: Sleep
  onEvent?: (event: SimulatorEvent) => void
}

export interface Simulator {
  /** Answers as the vendors would; the path says which one is meant. */
  fetch(request: Request): Promise<Response>
}

/** Dialects in the order in which they are asked whether a path is theirs. */
const DIALECTS: readonly Dialect[] = [gemini, anthropic, openai, openaiImages]

/** A simulated vendor. What it does, a model's name says: see `Behaviour`. */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const { now = Date.now, sleep = sleepReally, onEvent = () => {} } = options
  const cache = createPrefixCache(now)
  let calls = 0
  return {
    async fetch(request) {
      const url = new URL(request.url)
      const dialect = DIALECTS.find(({ serves }) => serves(url.pathname))
      if (!dialect) return new Response('Not found\n', { status: 404 })
      const call = ++calls
      const tell = (event: Untimed) => onEvent({ ...event, call, at_ms: now() })
      try {
        return await serve({ request, url, dialect, cache, sleep, tell })
      } catch (error) {
        if (request.signal.aborted) tell({ kind: 'aborted', sent_events: 0 })
        throw error
      }
    },
  }
}

type WithoutTime<Event> = Event extends SimulatorEvent ? Omit<Event, 'call' | 'at_ms'> : never
type Untimed = WithoutTime<SimulatorEvent>

interface Visit {
  readonly request: Request
  readonly url: URL
  readonly dialect: Dialect
  readonly cache: PrefixCache
  readonly sleep: Sleep
  readonly tell: (event: Untimed) => void
}

async function serve(visit: Visit): Promise<Response> {
  const { request, url, dialect, sleep, tell } = visit
  const body = await readBody(request)
  tell({ kind: 'request', request, body })
  const key = dialect.keyOf(request, url)
  // Such a key is refused, whatever is asked.
  if (key.startsWith('bad')) return refuse(visit, dialect.refusals.bad_key)
  if (body === undefined) return refuse(visit, { status: 400, message: 'Invalid JSON payload received.' })
  const call = dialect.read(url, body, request.headers)
  if (isRefusal(call)) return refuse(visit, call)
  const behaviour = parseBehaviour(call.model)
  if (behaviour === undefined) return refuse(visit, dialect.refusals.missing(call.model))
  if (behaviour.refuse) throw connectionRefused()
  if (behaviour.hang) await untilAborted(request.signal)
  if (behaviour.slow > 0) await sleep(behaviour.slow, request.signal)
  const mishap = mishapOf(behaviour, key, dialect.refusals.field)
  if (mishap instanceof Response) {
    tell({ kind: 'refused', status: mishap.status })
    return mishap
  }
  return mishap ? refuse(visit, mishap) : answer(visit, call, behaviour)
}

async function readBody(request: Request): Promise<JsonObject | undefined> {
  if (isForm(request)) return readForm(request)
  const text = await request.text()
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

function refuse({ dialect, tell }: Visit, refusal: Refusal): Response {
  const { headers, body } = dialect.refuse(refusal)
  tell({ kind: 'refused', status: refusal.status })
  return new Response(body, { status: refusal.status, headers })
}

/** What goes out, and what it took. */
interface Prepared {
  readonly payloads: readonly string[]
  readonly framing: Framing | undefined
  readonly totals: Totals
}

async function prepare(
  { dialect, cache }: Visit,
  call: Call | Query,
  behaviour: Behaviour,
): Promise<Prepared> {
  const telling = tellingOf(behaviour)
  if (isQuery(call)) {
    const { body, totals } = call.respond(telling)
    return { payloads: [body], framing: undefined, totals }
  }
  const shown = behaviour.draws ? await decodeReferences(call.ask.references ?? []) : []
  const replied = reply(call.ask, behaviour, cache, shown)
  const { framing } = call
  const payloads = framing
    ? dialect.events(call, replied, telling, behaviour)
    : [dialect.whole(call, replied, telling)]
  return { payloads, framing, totals: totalsOf(replied) }
}

async function answer(visit: Visit, call: Call | Query, behaviour: Behaviour): Promise<Response> {
  const { request, dialect, sleep, tell } = visit
  const { payloads, framing, totals } = await prepare(visit, call, behaviour)
  const error_payload = dialect.streamError(dialect.refusals.overloaded)
  const body = deliver(
    { payloads, framing, behaviour, error_payload, sleep, signal: request.signal },
    (kind, sent_events) => tell(kind === 'aborted' ? { kind, sent_events } : { kind, sent_events, totals }),
  )
  const content_type = framing?.content_type ?? 'application/json; charset=UTF-8'
  return new Response(body, { headers: { 'content-type': content_type } })
}

function tellingOf(behaviour: Behaviour): Telling {
  if (behaviour.nousage) return 'absent'
  return behaviour.zerousage ? 'zero' : 'true'
}
