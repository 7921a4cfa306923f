// Translation of Elysia's own errors into the gateway's.
import { InvalidCookieSignature, NotFoundError, ParseError, ValidationError } from 'elysia'
import { GatewayError, internal, invalidRequest, notFound } from '../../domain/errors.ts'
import { type Fault, faultsFrom } from '../../domain/validation.ts'
import { refusalOf } from '../../http/refusal.ts'

/**
 * Returns the refusal for an error of Elysia; other errors are returned unchanged. Errors are recognised by class, since
 * the `code` that Elysia passes may come from the error itself, and ours have one.
 */
export function refusalBy(error: unknown): unknown {
  if (error instanceof ValidationError) return refusalOfValues(error)
  if (error instanceof NotFoundError) return noEndpoint()
  // Elysia wraps the errors of our parsers.
  if (error instanceof ParseError && error.cause instanceof GatewayError) return error.cause
  if (error instanceof ParseError)
    return invalidRequest('The request body could not be read. Check its Content-Type.')
  if (error instanceof InvalidCookieSignature)
    return invalidRequest('The request carries a cookie that cannot be read.')
  return error
}

/** The answer for unknown and disabled paths. The most frequent mistake is a base URL of OpenAI's SDKs without the version. */
export const noEndpoint = (): GatewayError =>
  notFound('No such endpoint. Check the path and the method. Paths of the OpenAI API begin with /v1.')

/** An answer that violates its own schema is our bug: it is not sent, and only the paths of its faults are logged. */
function refusalOfValues({ type, validator, value }: ValidationError) {
  const all = 'Errors' in validator ? faultsFrom(validator.Errors(value), value) : []
  const faults = Iterator.from(all).take(MAX_FAULTS).toArray()
  if (type !== 'response') return refusalOf(faults, type === 'body' ? 'field' : 'parameter')
  return internal('The gateway failed to write its answer. It has been logged; please try again.', {
    cause: new Error(`the answer does not fit its schema: ${faults.map(inBrief).join('; ')}`),
  })
}

/** Enough to report; a body may have as many faults as bytes. */
const MAX_FAULTS = 10

const inBrief = ({ path, problem, must }: Fault): string =>
  `${path.join('.')}: ${problem}${problem === 'wrong' ? `, must be ${must}` : ''}`
