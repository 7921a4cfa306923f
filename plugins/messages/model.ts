// The headers of the messages surface: the API version, and the `anthropic-` headers that are passed on.
import { invalidRequest } from '../../src/domain/errors.ts'
import { ANTHROPIC_VERSION } from '../../src/protocols/anthropic/target.ts'

/** silent.md, Messages: body limit. */
export const MESSAGES_BODY_LIMIT_BYTES = 32 * 1024 * 1024
/** Anthropic's header for the request id. */
export const ID_HEADER = 'request-id'

/**
 * The specified version (spec.md, Versioning, rule 2). The other is the one that Anthropic's SDK sends since 1.0.0; its users change only
 * the base address. Both endpoints return the same answers in either version.
 */
const VERSIONS: readonly string[] = [ANTHROPIC_VERSION, '2026-10-21']

/**
 * Reads the API version of a request from `anthropic-version`, which SDKs send, or `vendor-version`.
 * @throws GatewayError invalid_request if it is missing or unknown
 */
export function requireVersion(headers: Headers): string {
  const version = headers.get('anthropic-version') ?? headers.get('vendor-version')
  if (version !== null && VERSIONS.includes(version)) return version
  const found = version === null ? 'is missing' : 'has an unknown value'
  throw invalidRequest(
    `The header anthropic-version ${found}. Send "anthropic-version: ${ANTHROPIC_VERSION}".`,
  )
}

/**
 * A header between browser and gateway, and headers that select data or billing within the key owner's organization at the provider: the
 * operator sets the latter in the provider's `headers`. The names are those of the npm package @anthropic-ai/sdk 1.12.
 */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'anthropic-dangerous-direct-browser-access',
  'anthropic-workspace-id',
  'anthropic-organization-id',
  'anthropic-user-profile-id',
])

/**
 * Returns the headers to pass on to a provider of the same protocol: the version, and all other `anthropic-` headers, including betas. New
 * features of Claude Code use new headers: https://code.claude.com/docs/en/llm-gateway-protocol, "Forward as open lists".
 */
export function forwardedHeaders(headers: Headers): Record<string, string> {
  const version = headers.get('anthropic-version') ?? headers.get('vendor-version') ?? ANTHROPIC_VERSION
  const forwarded: Record<string, string> = {}
  const all = headers.toJSON()
  for (const name in all)
    if (name.startsWith('anthropic-') && !NOT_FORWARDED.has(name)) forwarded[name] = String(all[name])
  forwarded['anthropic-version'] = version
  return forwarded
}
