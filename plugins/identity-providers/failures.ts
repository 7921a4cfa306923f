// Failures of identity providers, in messages for the people who sign in by them.
import { GatewayError, isFailure, upstreamFailed } from '../../src/domain/errors.ts'
import type { IdentityProvider } from './settings.ts'

/** Whether a provider failed, rather than refused. The failed request may be the cause of a library's error. */
export function hasFailed(thrown: unknown): boolean {
  let each = thrown
  while (each instanceof Error) {
    if (each instanceof GatewayError && isFailure(each)) return true
    each = each.cause
  }
  return false
}

/** The error while a provider fails; it does not count as a failed attempt of the person. */
export const doesNotAnswer = ({ title }: Pick<IdentityProvider, 'title'>, cause: unknown): GatewayError =>
  upstreamFailed(
    `${title} does not answer as it should at the moment. Try again later, or sign in another way.`,
    { code: 'provider_unavailable', cause },
  )
