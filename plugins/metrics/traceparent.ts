// The span of a caller that a call belongs to, as its request names it.

export interface SpanParent {
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
