// The conversion of a settled call into a span, by OpenTelemetry's semantic conventions for generative AI. Spans contain no prompts or answers.

import type { Catalogue } from '../../src/domain/catalogue.ts'
import { hasFailed } from '../../src/domain/outcomes.ts'
import { INPUT_FIELDS, OUTPUT_FIELDS, USAGE_FIELDS, type UsageField } from '../../src/domain/usage.ts'
import { defined } from '../../src/utilities/defined.ts'
import { type CountedCall, type SettledCall, troubleOf } from './call-facts.ts'
import type { SpanFacts } from './spans.ts'

/** `gen_ai.operation.name` by surface. Other surfaces use their own name, as the conventions allow. */
const OPERATIONS: Readonly<Record<string, string>> = {
  native: 'generate_content',
  messages: 'chat',
  chat: 'chat',
  responses: 'chat',
  completions: 'text_completion',
  embeddings: 'embeddings',
  images: 'generate_content',
}

/** `gen_ai.provider.name` by protocol. */
const PROVIDERS: Readonly<Record<string, string>> = {
  gemini: 'gcp.gemini',
  anthropic: 'anthropic',
  openai: 'openai',
}

/**
 * Converts a call into a span, from its arrival to its settlement.
 * https://github.com/open-telemetry/semantic-conventions/blob/v1.37.0/docs/gen-ai/gen-ai-spans.md
 */
export function spanOf(
  { request_id, cost_nanos, provider_cost_nanos, call }: SettledCall,
  catalogue: Pick<Catalogue, 'providers'>,
): SpanFacts {
  const operation = OPERATIONS[call.surface] ?? call.surface
  const is_error = hasFailed(call)
  return {
    name: `${operation} ${call.model}`,
    start_ms: call.started_at_ms,
    end_ms: call.started_at_ms + call.duration_ms,
    is_error,
    attributes: defined({
      'gen_ai.operation.name': operation,
      'gen_ai.request.model': call.model,
      'gen_ai.output.type': call.images > 0 ? 'image' : undefined,
      ...routeAttributes(call, catalogue),
      'gen_ai.usage.input_tokens': sum(call, INPUT_FIELDS),
      'gen_ai.usage.output_tokens': sum(call, OUTPUT_FIELDS),
      ...usageAttributes(call),
      'error.type': is_error ? (troubleOf(call).failure?.kind ?? '_OTHER') : undefined,
      'http.response.status_code': call.status,
      'tollgate.request_id': request_id,
      'tollgate.surface': call.surface,
      'tollgate.outcome': call.outcome,
      'tollgate.streamed': call.streamed === 1,
      'tollgate.cost_nanos': cost_nanos,
      'tollgate.provider_cost_nanos': provider_cost_nanos ?? undefined,
      'tollgate.failed_tries': call.failed_tries ?? 0,
      'tollgate.first_byte_ms': call.first_byte_ms ?? undefined,
    }),
  }
}

/** The conventions require a provider; a call that reached none gets `_OTHER`. */
function routeAttributes({ provider, upstream_model }: CountedCall, catalogue: Pick<Catalogue, 'providers'>) {
  if (provider === '') return { 'gen_ai.provider.name': '_OTHER' }
  const known = catalogue.providers.get(provider)
  return {
    'gen_ai.provider.name': PROVIDERS[known?.protocol ?? ''] ?? provider,
    'gen_ai.response.model': upstream_model,
    'tollgate.provider': provider,
    ...(known ? serverAttributes(known.base_url) : {}),
  }
}

/** Host and port only, because a path may contain a secret. Empty for the simulator. */
function serverAttributes(base_url: string) {
  if (!URL.canParse(base_url)) return {}
  const { hostname, port, protocol } = new URL(base_url)
  return { 'server.address': hostname, 'server.port': Number(port || (protocol === 'https:' ? 443 : 80)) }
}

const sum = (call: CountedCall, fields: readonly UsageField[]): number =>
  fields.reduce((total, field) => total + call[field], 0)

/** Counts of tokens by kind, and of images. The conventions define only sums. */
function usageAttributes(call: CountedCall): Record<string, number> {
  const attributes: Record<string, number> = {}
  for (const field of USAGE_FIELDS) if (call[field] > 0) attributes[`tollgate.usage.${field}`] = call[field]
  if (call.images > 0) attributes['tollgate.usage.images'] = call.images
  return attributes
}
