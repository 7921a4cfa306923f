// Export of spans to an OpenTelemetry collector in batches. Calls never wait for it; spans that it does not accept are dropped.
import type { Attributes } from '@opentelemetry/api'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from '../../src/observe/log.ts'

/** A finished span. */
export interface SpanFacts {
  name: string
  attributes: Attributes
  start_ms: number
  end_ms: number
  is_error: boolean
  /** The caller's span. Undefined if this span starts a trace. */
  parent?: SpanParent | undefined
}

interface SpanCounts {
  sent: number
  dropped: number
  /** Not sent yet. */
  waiting: number
}

export interface Spans {
  readonly counts: Readonly<SpanCounts>
  /** Queues a span, which `make` creates in a later turn of the event loop. Drops it if too many wait. */
  record(make: () => SpanFacts): void
  /** Sends waiting spans for at most two seconds. */
  close(): Promise<void>
}

interface SpanOptions {
  /** The complete address of the collector. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  service_name: string
  version: string
  log: Pick<Logger, 'error' | 'warn' | 'info'>
  /** The time between batches. */
  every_ms?: number
  /** The time limit of one request. */
  send_timeout_ms?: number
}

/** About 2 MB. */
const MAX_WAITING = 2_048
const BATCH = 512
const EVERY_MS = 5_000
const SEND_TIMEOUT_MS = 5_000
const CLOSE_TIMEOUT_MS = 2_000

/** The version of the semantic conventions for names of spans and attributes. Changed only on purpose, because dashboards depend on it. */
const SEMANTIC_CONVENTIONS = '1.37.0'

/** Opens the export. The libraries are loaded here, so that they use no memory if telemetry is off. */
export async function openSpans(options: SpanOptions): Promise<Spans> {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } = await import('@opentelemetry/api')
  const { log } = options
  const counts: SpanCounts = { sent: 0, dropped: 0, waiting: 0 }
  const { provider, tracer } = await openTracer(options, counts)

  /** Ignores the caller's sampling flag: the operator's `sample` decides which calls have spans. */
  const contextOf = ({ trace_id, span_id }: SpanParent) =>
    trace.setSpanContext(ROOT_CONTEXT, {
      traceId: trace_id,
      spanId: span_id,
      traceFlags: TraceFlags.SAMPLED,
      isRemote: true,
    })

  function write({ name, attributes, start_ms, end_ms, is_error, parent }: SpanFacts): void {
    const context = parent ? contextOf(parent) : ROOT_CONTEXT
    const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime: start_ms, attributes }, context)
    if (is_error) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(end_ms)
  }

  let made_later: (() => SpanFacts)[] = []
  const writeAll = (): void => {
    const all = made_later
    made_later = []
    for (const make of all) orDrop(counts, log, () => write(make()))
  }

  return {
    counts,
    record(make) {
      if (counts.waiting >= MAX_WAITING) {
        counts.dropped++
        return
      }
      counts.waiting++
      if (made_later.push(make) === 1) setImmediate(writeAll)
    },
    async close() {
      writeAll()
      // A collector that does not answer must not delay a stop. `counted` logs a failure.
      await Promise.race([provider.shutdown().catch(() => {}), Bun.sleep(CLOSE_TIMEOUT_MS)])
      if (counts.waiting > 0)
        log.warn({ spans: counts.waiting }, 'the telemetry collector did not accept the last spans in time')
    },
  }
}

async function openTracer(options: SpanOptions, counts: SpanCounts) {
  const [{ BatchSpanProcessor, TracerProvider }, { resourceFromAttributes }, { OTLPTraceExporter }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ])
  const { endpoint, headers, service_name, version, log } = options
  const { every_ms = EVERY_MS, send_timeout_ms = SEND_TIMEOUT_MS } = options
  const otlp = new OTLPTraceExporter({
    url: endpoint,
    headers: { ...headers },
    timeoutMillis: send_timeout_ms,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service_name, 'service.version': version }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: counted(otlp, counts, log),
        maxQueueSize: MAX_WAITING,
        maxExportBatchSize: BATCH,
        scheduledDelayMillis: every_ms,
        exportTimeoutMillis: 2 * send_timeout_ms,
      }),
    ],
  })
  const schemaUrl = `https://opentelemetry.io/schemas/${SEMANTIC_CONVENTIONS}`
  return { provider, tracer: provider.getTracer('tollgate', version, { schemaUrl }) }
}

/** Drops a span that cannot be made. An error thrown here, in a timer, would end the process. */
function orDrop(counts: SpanCounts, log: Pick<Logger, 'error'>, write: () => void): void {
  try {
    write()
  } catch (cause) {
    counts.waiting--
    counts.dropped++
    log.error({ cause }, 'a span could not be made, and is dropped: a fault of the gateway')
  }
}

/** `ExportResultCode.SUCCESS` of @opentelemetry/core. */
const SUCCESS = 0

/** Counts sent and dropped spans of an exporter. Logs the first failure, and the first success after it. */
function counted(
  exporter: SpanExporter,
  counts: SpanCounts,
  log: Pick<Logger, 'warn' | 'info'>,
): SpanExporter {
  let is_failing = false
  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, (result) => {
        counts.waiting -= spans.length
        const failed = result.code !== SUCCESS
        counts[failed ? 'dropped' : 'sent'] += spans.length
        if (failed && !is_failing)
          log.warn(
            { cause: result.error, spans: spans.length },
            'the telemetry collector does not accept spans: they are dropped until it does. Check [telemetry] endpoint and headers',
          )
        if (!failed && is_failing) log.info({}, 'the telemetry collector accepts spans again')
        is_failing = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}

interface SpanParent {
  trace_id: string
  span_id: string
}

const TRACEPARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}$/

/**
 * Reads a `traceparent` of version 00. @returns undefined if it is absent or invalid
 * https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function parentOf(traceparent: string | null): SpanParent | undefined {
  const [, trace_id, span_id] = TRACEPARENT.exec(traceparent ?? '') ?? []
  return trace_id && span_id ? { trace_id, span_id } : undefined
}
