// Elysia's own refusals in the gateway's words.
import { InvalidCookieSignature, NotFoundError, ParseError, ValidationError } from 'elysia'
import { GatewayError, internal, invalidRequest, notFound } from '../../domain/errors.ts'
import { type Fault, faultsFrom } from '../../domain/validation.ts'
import { refusalOf } from '../../http/refusal.ts'

/**
 * The refusal for an error that reached Elysia; an error that is not Elysia's own is returned as it was thrown. Recognised by
 * its class: the `code` that Elysia hands over is the error's own `code` where it has one, and ours have.
 */
export function refusalBy(error: unknown): unknown {
  if (error instanceof ValidationError) return refusalOfValues(error)
  if (error instanceof NotFoundError) return noEndpoint()
  // Our own parsers' errors, too.
  if (error instanceof ParseError && error.cause instanceof GatewayError) return error.cause
  if (error instanceof ParseError)
    return invalidRequest('The request body could not be read. Check its Content-Type.')
  if (error instanceof InvalidCookieSignature)
    return invalidRequest('The request carries a cookie that cannot be read.')
  return error
}

/** A path that is switched off is answered as every unknown one. Most often the base address of OpenAI's SDKs has no version. */
export const noEndpoint = (): GatewayError =>
  notFound('No such endpoint. Check the path and the method. Paths of the OpenAI API begin with /v1.')

/** An answer of ours that does not fit its own schema is our bug: it is not sent, and only its faulty paths are logged. */
function refusalOfValues({ type, validator, value }: ValidationError) {
  const all = 'Errors' in validator ? faultsFrom(validator.Errors(value), value) : []
  const faults = Iterator.from(all).take(MAX_FAULTS).toArray()
  if (type !== 'response') return refusalOf(faults, type === 'body' ? 'field' : 'parameter')
  return internal('The gateway failed to write its answer. It has been logged; please try again.', {
    cause: new Error(`the answer does not fit its schema: ${faults.map(inBrief).join('; ')}`),
  })
}

/** Nobody reads more; a body may have as many faults as it has bytes. */
const MAX_FAULTS = 10

const inBrief = ({ path, problem, must }: Fault): string =>
  `${path.join('.')}: ${problem}${problem === 'wrong' ? `, must be ${must}` : ''}`
