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
 *
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

/** What is passed on to a provider of the same protocol: the version, and the betas that the caller asks for. */
export function forwardedHeaders(headers: Headers): Record<string, string> {
  const version = headers.get('anthropic-version') ?? headers.get('vendor-version') ?? ANTHROPIC_VERSION
  const betas = headers.get('anthropic-beta')
  return { 'anthropic-version': version, ...(betas === null ? {} : { 'anthropic-beta': betas }) }
}
