// Owns what the messages surface reads of a request besides the conversation: the version, the betas, the model.
import { invalidRequest } from '../../src/errors.ts'
import { ANTHROPIC_VERSION } from '../../src/protocols/anthropic/target.ts'

/** silent.md, Messages: body limit. */
export const MESSAGES_BODY_LIMIT_BYTES = 32 * 1024 * 1024
/** The vendor's own name for the header with the request's id. */
export const ID_HEADER = 'request-id'

/**
 * Checks the header that carries the protocol's version: `anthropic-version`, as SDKs send it, or `vendor-version`
 * (spec.md, Versioning 2).
 *
 * @throws GatewayError invalid_request where it is missing or another one
 */
export function requireVersion(headers: Headers): void {
  const version = headers.get('anthropic-version') ?? headers.get('vendor-version')
  if (version === ANTHROPIC_VERSION) return
  const found = version === null ? 'is missing' : 'has another value than the one version there is'
  throw invalidRequest(
    `The header anthropic-version ${found}. Send "anthropic-version: ${ANTHROPIC_VERSION}".`,
  )
}

/** The betas that the caller asks for, which a provider of the same protocol is to hear of. */
export function readBetas(headers: Headers): Record<string, string> {
  const betas = headers.get('anthropic-beta')
  return betas === null ? {} : { 'anthropic-beta': betas }
}
