// Failures of identity providers, in words for the people who sign in by them.
import { GatewayError, isFailure, upstreamFailed } from '../../src/domain/errors.ts'
import type { IdentityProvider } from './settings.ts'

/** Reports whether a provider failed, as against having refused: the failure of its request may be the cause of a library's error. */
export function hasFailed(thrown: unknown): boolean {
  let each = thrown
  while (each instanceof Error) {
    if (each instanceof GatewayError && isFailure(each)) return true
    each = each.cause
  }
  return false
}

/** The refusal while a provider fails: no fault of whoever signs in. */
export const doesNotAnswer = ({ title }: Pick<IdentityProvider, 'title'>, cause: unknown): GatewayError =>
  upstreamFailed(
    `${title} does not answer as it should at the moment. Try again later, or sign in another way.`,
    { code: 'provider_unavailable', cause },
  )
