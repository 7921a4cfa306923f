// The headers of the messages surface: the protocol's version, and the betas.
import { invalidRequest } from '../../src/domain/errors.ts'
import { ANTHROPIC_VERSION } from '../../src/protocols/anthropic/target.ts'

/** silent.md, Messages: body limit. */
export const MESSAGES_BODY_LIMIT_BYTES = 32 * 1024 * 1024
/** Anthropic's name for the header with the request's id. */
export const ID_HEADER = 'request-id'

/**
 * The version of spec.md, Versioning, rule 2, and the one that Anthropic's SDK sends since 1.0.0, because its users
 * change their base address only. The answers of both endpoints read the same in either.
 */
const VERSIONS: readonly string[] = [ANTHROPIC_VERSION, '2026-10-21']

/**
 * The protocol's version that the caller speaks: in `anthropic-version`, as SDKs send it, or in `vendor-version`.
 * @throws GatewayError invalid_request if it is missing or not known
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
 * Headers between a browser and this gateway, and those that choose among what the provider keeps for the owner of its key, or say who pays:
 * the operator writes these in the provider's `headers`. The names are those of the npm package @anthropic-ai/sdk 1.12.
 */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'anthropic-dangerous-direct-browser-access',
  'anthropic-workspace-id',
  'anthropic-organization-id',
  'anthropic-user-profile-id',
])

/**
 * What is passed on to a provider of the same protocol: the version, and all other `anthropic-` headers, the betas among them. New
 * capabilities of Claude Code come as new ones: https://code.claude.com/docs/en/llm-gateway-protocol, "Forward as open lists".
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
