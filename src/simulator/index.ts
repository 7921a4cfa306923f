// Owns the simulator: a vendor in a box, so that everything runs without a vendor's key. It is a program of its own, that
// shares nothing with the gateway, and can be called in-process or be served on a socket with Bun.serve.
import { reply, type Totals, totalsOf } from './answer.ts'
import { type Behaviour, parseBehaviour } from './behaviour.ts'
import { deliver } from './delivery.ts'
import { type Call, type Dialect, isRefusal, type Refusal, type Telling } from './dialect.ts'
import { gemini } from './gemini/index.ts'
import { isObject, type JsonObject } from './json.ts'
import { connectionRefused, mishapOf } from './mishaps.ts'
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
const DIALECTS: readonly Dialect[] = [gemini]

/** A simulated vendor. What it does, a model's name says: see `Behaviour`. */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const { now = Date.now, sleep = sleepReally, onEvent = () => {} } = options
  let calls = 0
  return {
    async fetch(request) {
      const url = new URL(request.url)
      const dialect = DIALECTS.find(({ serves }) => serves(url.pathname))
      if (!dialect) return new Response('Not found\n', { status: 404 })
      const call = ++calls
      const tell = (event: Untimed) => onEvent({ ...event, call, at_ms: now() })
      try {
        return await serve({ request, url, dialect, sleep, tell })
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
  readonly sleep: Sleep
  readonly tell: (event: Untimed) => void
}

async function serve(visit: Visit): Promise<Response> {
  const { request, url, dialect, sleep, tell } = visit
  const body = await readBody(request)
  tell({ kind: 'request', request, body })
  const key = dialect.keyOf(request, url)
  if (key.startsWith('bad')) return refuse(visit, BAD_KEY)
  if (body === undefined) return refuse(visit, { status: 400, message: 'Invalid JSON payload received.' })
  const call = dialect.read(url, body)
  if (isRefusal(call)) return refuse(visit, call)
  const behaviour = parseBehaviour(call.model)
  if (behaviour === undefined)
    return refuse(visit, { status: 404, message: `models/${call.model} is not found.` })
  if (behaviour.refuse) throw connectionRefused()
  if (behaviour.hang) await untilAborted(request.signal)
  if (behaviour.slow > 0) await sleep(behaviour.slow, request.signal)
  const mishap = mishapOf(behaviour, key)
  if (mishap instanceof Response) {
    tell({ kind: 'refused', status: mishap.status })
    return mishap
  }
  return mishap ? refuse(visit, mishap) : answer(visit, call, behaviour)
}

/** A key that starts with `bad` is refused, whatever is asked. */
const BAD_KEY: Refusal = {
  status: 400,
  message: 'API key not valid. Please pass a valid API key.',
  bad_key: true,
}

async function readBody(request: Request): Promise<JsonObject | undefined> {
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

function answer({ request, dialect, sleep, tell }: Visit, call: Call, behaviour: Behaviour): Response {
  const replied = reply(call.ask, behaviour)
  const telling = tellingOf(behaviour)
  const payloads = call.framing
    ? dialect.events(call, replied, telling, behaviour)
    : [dialect.whole(call, replied, telling)]
  const error_payload = dialect.streamError({
    status: 503,
    message: 'The model is overloaded. Please try again later.',
  })
  const body = deliver(
    { payloads, framing: call.framing, behaviour, error_payload, sleep, signal: request.signal },
    (kind, sent_events) =>
      tell(kind === 'aborted' ? { kind, sent_events } : { kind, sent_events, totals: totalsOf(replied) }),
  )
  const content_type = call.framing?.content_type ?? 'application/json; charset=UTF-8'
  return new Response(body, { headers: { 'content-type': content_type } })
}

function tellingOf(behaviour: Behaviour): Telling {
  if (behaviour.nousage) return 'absent'
  return behaviour.zerousage ? 'zero' : 'true'
}
