// Spans of calls, sent to an OpenTelemetry collector in batches: what it does not take is dropped, and no call waits for it.
import type { Attributes } from '@opentelemetry/api'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from '../../src/observe/log.ts'

/** A span, all of which is past. */
export interface SpanFacts {
  name: string
  attributes: Attributes
  start_ms: number
  end_ms: number
  is_error: boolean
  /** The caller's span. Undefined: this one begins a trace. */
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
  /** Takes a span that is made later, when nothing waits for it. Drops it where too many wait. */
  record(make: () => SpanFacts): void
  /** Sends what waits, for two seconds at most. */
  close(): Promise<void>
}

interface SpanOptions {
  /** The complete address of the collector. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  service_name: string
  version: string
  log: Pick<Logger, 'error' | 'warn' | 'info'>
  /** How long a batch is gathered. */
  every_ms?: number
  /** How long one is tried to be sent. */
  send_timeout_ms?: number
}

/** Some 2 MB. */
const MAX_WAITING = 2_048
const BATCH = 512
const EVERY_MS = 5_000
/** With its further tries. */
const SEND_TIMEOUT_MS = 5_000
const CLOSE_TIMEOUT_MS = 2_000

/** The semantic conventions that names of spans and attributes follow; changed by hand alone, since dashboards stand on them. */
const SEMANTIC_CONVENTIONS = '1.37.0'

/** Spans for a collector. The libraries are loaded here: they take no memory where telemetry is off. */
export async function openSpans(options: SpanOptions): Promise<Spans> {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } = await import('@opentelemetry/api')
  const { log } = options
  const counts: SpanCounts = { sent: 0, dropped: 0, waiting: 0 }
  const { provider, tracer } = await openTracer(options, counts)

  /** Which calls have spans is the operator's to say, by `sample`: a caller's flag does not count. */
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
      // A collector that does not answer holds no stop up; that it failed is logged where it is counted.
      await Promise.race([provider.shutdown().catch(() => {}), Bun.sleep(CLOSE_TIMEOUT_MS)])
      if (counts.waiting > 0)
        log.warn({ spans: counts.waiting }, 'the telemetry collector did not take the last spans in time')
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

/** No call waits for it that could get an error, and an error that leaves here would end the process. */
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

/** Counts what an exporter sends and what it does not, and logs once that it fails, and once that it works again. */
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
            'the telemetry collector takes no spans: they are dropped until it does. Check [telemetry] endpoint and headers',
          )
        if (!failed && is_failing) log.info({}, 'the telemetry collector takes spans again')
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
