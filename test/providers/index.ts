// Simulated providers, so that everything runs without a provider's key. They share no code with the gateway, and can be
// called in-process or served on a socket with Bun.serve.

import { reply, type Totals, totalsOf } from './answer.ts'
import { anthropic } from './anthropic/index.ts'
import { type Behaviour, parseBehaviour } from './behaviour.ts'
import { createPrefixCaches, type PrefixCache } from './cache.ts'
import { deliver } from './delivery.ts'
import {
  type Call,
  type Dialect,
  type Framing,
  isQuery,
  isRefusal,
  type Query,
  type Refusal,
  type UsageReport,
} from './dialect.ts'
import { gemini } from './gemini/index.ts'
import { isObject, type JsonObject } from './json.ts'
import { connectionRefused, mishapOf } from './mishaps.ts'
import { isForm, readForm } from './multipart.ts'
import { chatOf, openai } from './openai/index.ts'
import { openaiImages } from './openai-images/index.ts'
import { openaiMedia } from './openai-media/index.ts'
import { openaiResponses } from './openai-responses/index.ts'
import { decodeReferences } from './references.ts'
import { SERVERS } from './servers/servers.ts'
import { type Sleep, sleep as sleepReally, untilAborted } from './waiting.ts'

/** An event at a simulated provider; `call` counts the requests from 1. */
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
  /** Answers as the providers do; the path selects one. */
  fetch(request: Request): Promise<Response>
}

/** The other endpoints of OpenAI's protocol, the same for each simulated server. */
const BESIDE_CHAT: readonly Dialect[] = [openaiResponses, openaiImages, openaiMedia]

/** The dialects; the first one that serves a path answers. */
const DIALECTS: readonly Dialect[] = [gemini, anthropic, openai, ...BESIDE_CHAT]

/** The same for paths that begin with the name of a server: `/groq/v1/chat/completions`. */
const DIALECTS_BY_SERVER: ReadonlyMap<string, readonly Dialect[]> = new Map(
  SERVERS.map((server) => [server.name, [chatOf(server), ...BESIDE_CHAT]]),
)

/** The dialect that answers at a path. */
function dialectAt(path: string): Dialect | undefined {
  const [, first = ''] = path.split('/')
  return (DIALECTS_BY_SERVER.get(first) ?? DIALECTS).find(({ serves }) => serves(path))
}

/** Simulated providers. The name of the model sets the behaviour: see `Behaviour`. */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const { now = Date.now, sleep = sleepReally, onEvent = () => {} } = options
  const caches = createPrefixCaches(now)
  let calls = 0
  return {
    async fetch(request) {
      const url = new URL(request.url)
      const dialect = dialectAt(url.pathname)
      if (!dialect) return new Response('Not found\n', { status: 404 })
      const call = ++calls
      const emit = (event: UntimedEvent) => onEvent({ ...event, call, at_ms: now() })
      try {
        const cache = caches(dialect.keyOf(request, url))
        return await serve({ request, url, dialect, cache, sleep, emit })
      } catch (error) {
        if (request.signal.aborted) emit({ kind: 'aborted', sent_events: 0 })
        throw error
      }
    },
  }
}

type WithoutTime<Event> = Event extends SimulatorEvent ? Omit<Event, 'call' | 'at_ms'> : never
type UntimedEvent = WithoutTime<SimulatorEvent>

/** One request in progress. */
interface Context {
  readonly request: Request
  readonly url: URL
  readonly dialect: Dialect
  /** The cache of the request's key. */
  readonly cache: PrefixCache
  readonly sleep: Sleep
  readonly emit: (event: UntimedEvent) => void
}

async function serve(context: Context): Promise<Response> {
  const { request, url, dialect, sleep, emit } = context
  const body = await readBody(request)
  emit({ kind: 'request', request, body })
  const key = dialect.keyOf(request, url)
  // Keys that begin with `bad` are refused, for any request.
  if (key.startsWith('bad')) return refuse(context, dialect.refusals.bad_key)
  if (body === undefined) return refuse(context, { status: 400, message: 'Invalid JSON payload received.' })
  const call = dialect.read(url, body, request.headers)
  if (isRefusal(call)) return refuse(context, call)
  const behaviour = parseBehaviour(call.model)
  if (behaviour === undefined) return refuse(context, dialect.refusals.missing(call.model))
  if (behaviour.refuse) throw connectionRefused()
  if (behaviour.hang) await untilAborted(request.signal)
  if (behaviour.slow > 0) await sleep(behaviour.slow, request.signal)
  const mishap = mishapOf(behaviour, key, dialect.refusals.field)
  if (mishap instanceof Response) {
    emit({ kind: 'refused', status: mishap.status })
    return mishap
  }
  return mishap ? refuse(context, mishap) : answer(context, call, behaviour)
}

async function readBody(request: Request): Promise<JsonObject | undefined> {
  if (isForm(request)) return readForm(request)
  const text = await request.text()
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : undefined
  } catch {
    // Not JSON: refused by the caller of this function.
    return undefined
  }
}

function refuse({ dialect, emit }: Context, refusal: Refusal): Response {
  const { headers, body } = dialect.refuse(refusal)
  emit({ kind: 'refused', status: refusal.status })
  return new Response(body, { status: refusal.status, headers })
}

/** The sent content and its usage. */
interface Prepared {
  readonly payloads: readonly (string | Uint8Array)[]
  readonly framing: Framing | undefined
  /** JSON, or the type of the framing, if absent. */
  readonly content_type?: string | undefined
  readonly totals: Totals
}

async function prepare(
  { dialect, cache }: Context,
  call: Call | Query,
  behaviour: Behaviour,
): Promise<Prepared> {
  const usage_report = usageReportOf(behaviour)
  if (isQuery(call)) {
    const { body, content_type, stream, totals } = call.respond(usage_report)
    return { payloads: [body], framing: undefined, content_type, ...stream, totals }
  }
  const references = behaviour.draws ? await decodeReferences(call.ask.references ?? []) : []
  const result = reply(call.ask, behaviour, cache, references)
  const { framing } = call
  const payloads = framing
    ? dialect.events(call, result, usage_report, behaviour)
    : [dialect.whole(call, result, usage_report)]
  return { payloads, framing, totals: totalsOf(result) }
}

async function answer(context: Context, call: Call | Query, behaviour: Behaviour): Promise<Response> {
  const { request, dialect, sleep, emit } = context
  const { payloads, framing, totals, ...prepared } = await prepare(context, call, behaviour)
  const error_payload = dialect.streamError(dialect.refusals.overloaded)
  const body = deliver(
    { payloads, framing, behaviour, error_payload, sleep, signal: request.signal },
    (kind, sent_events) => emit(kind === 'aborted' ? { kind, sent_events } : { kind, sent_events, totals }),
  )
  const content_type = framing?.content_type ?? prepared.content_type ?? 'application/json; charset=UTF-8'
  return new Response(body, { headers: { 'content-type': content_type } })
}

function usageReportOf(behaviour: Behaviour): UsageReport {
  if (behaviour.nousage) return 'absent'
  return behaviour.zerousage ? 'zero' : 'actual'
}
