// The one error for a stream that broke off, wherever that is noticed.
import { type GatewayError, upstreamFailed } from '../domain/errors.ts'

/** @param cause for the log: what was missing, or the event that could not be read */
export const brokenStream = (cause?: string): GatewayError =>
  upstreamFailed("The model's provider broke off its answer. What arrived was charged; please try again.", {
    cause,
  })
