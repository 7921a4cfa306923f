// A collector for tests, by its specification: it accepts spans by OTLP over HTTP in JSON.
import { createCounter } from '../support/counter.ts'

export interface ReceivedSpan {
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
  spans: ReceivedSpan[]
  requests: { method: string; path: string; headers: Headers }[]
  /** Sets the answer from now on. @param answer undefined: there is never one */
  setAnswer(answer: (() => Response) | undefined): void
  /** Resolves with the spans, once this many have come. */
  waitForSpans(count: number): Promise<ReceivedSpan[]>
  /** Resolves once this many requests came. */
  waitForRequests(count: number): Promise<void>
}

const taken = () => Response.json({})

/** Listens on a free port of this machine. */
export function startCollector(): Collector {
  const spans: ReceivedSpan[] = []
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
  const until = async (isReached: () => boolean) => {
    while (!isReached()) await changes.reaches(changes.count + 1)
  }
  return {
    url: server.url.origin,
    spans,
    requests,
    setAnswer(next) {
      answer = next
    },
    async waitForSpans(count) {
      await until(() => spans.length >= count)
      return spans
    },
    waitForRequests: (count) => until(() => requests.length >= count),
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

const readSpans = ({ resource, scopeSpans }: ResourceSpans): ReceivedSpan[] =>
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
