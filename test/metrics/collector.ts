// A collector of the tests' own: it takes spans by OTLP over HTTP in JSON, as the specification has it.
import { createCounter } from '../support/counter.ts'

export interface TakenSpan {
  name: string
  kind: number
  trace_id: string
  span_id: string
  parent_span_id: string | undefined
  start_ms: number
  end_ms: number
  /** 2 is an error. */
  status: number
  attributes: Record<string, string | number | boolean>
  scope: { name: string; version: string; schema_url: string }
  resource: Record<string, unknown>
  links: unknown[]
  events: unknown[]
}

interface Collector extends AsyncDisposable {
  url: string
  spans: TakenSpan[]
  requests: { method: string; path: string; headers: Headers }[]
  /** What is answered from now on. @param answer undefined: nothing, ever */
  answers(answer: (() => Response) | undefined): void
  /** Resolves with the first spans, once there are this many. */
  takes(count: number): Promise<TakenSpan[]>
  /** Resolves once this many requests came. */
  isAsked(count: number): Promise<void>
}

const taken = () => Response.json({})

/** Listens on a free port of this machine. */
export function startCollector(): Collector {
  const spans: TakenSpan[] = []
  const requests: Collector['requests'] = []
  const changes = createCounter()
  let answer: (() => Response) | undefined = taken
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { method, headers } = request
      requests.push({ method, path: new URL(request.url).pathname, headers })
      const body = (await request.json()) as { resourceSpans: ResourceSpans[] }
      changes.add()
      if (!answer) return new Promise<Response>(() => {})
      const answered = answer()
      if (answered.ok) spans.push(...body.resourceSpans.flatMap(readSpans))
      changes.add()
      return answered
    },
  })
  const until = async (isThere: () => boolean) => {
    while (!isThere()) await changes.reaches(changes.count + 1)
  }
  return {
    url: server.url.origin,
    spans,
    requests,
    answers(next) {
      answer = next
    },
    async takes(count) {
      await until(() => spans.length >= count)
      return spans
    },
    isAsked: (count) => until(() => requests.length >= count),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean; doubleValue?: number }
type Pairs = { key: string; value: Value }[]
interface ResourceSpans {
  resource: { attributes: Pairs }
  scopeSpans: { scope: { name: string; version: string }; schemaUrl: string; spans: WrittenSpan[] }[]
}
interface WrittenSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Pairs
  status: { code: number }
  links: unknown[]
  events: unknown[]
}

const readPairs = (pairs: Pairs) =>
  Object.fromEntries(
    pairs.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  )

const msOf = (nanos: string): number => Number(BigInt(nanos) / 1_000_000n)

const readSpans = ({ resource, scopeSpans }: ResourceSpans): TakenSpan[] =>
  scopeSpans.flatMap(({ scope, schemaUrl, spans }) =>
    spans.map((span) => ({
      name: span.name,
      kind: span.kind,
      trace_id: span.traceId,
      span_id: span.spanId,
      parent_span_id: span.parentSpanId,
      start_ms: msOf(span.startTimeUnixNano),
      end_ms: msOf(span.endTimeUnixNano),
      status: span.status.code,
      attributes: readPairs(span.attributes),
      scope: { ...scope, schema_url: schemaUrl },
      resource: readPairs(resource.attributes),
      links: span.links,
      events: span.events,
    })),
  )
