// Conversion of a request's faults, found by the validator, into a refusal.
import { type GatewayError, invalidRequest } from '../domain/errors.ts'
import type { Fault } from '../domain/validation.ts'

/** The maximum length of a caller's field name in a message. */
const MAX_NAME_CHARS = 64

/** Returns an invalid_request that names every fault; `param` and `code` are those of the first. */
export function refusalOf(faults: readonly Fault[], noun: 'parameter' | 'field'): GatewayError {
  const [first] = faults
  if (!first) return invalidRequest('The request is malformed. Check its fields.')
  const message = faults.map((fault) => `${nameOf(fault)}: ${problemOf(fault, noun)}.`).join(' ')
  return invalidRequest(message, { param: nameOf(first), code: first.code })
}

function problemOf({ problem, must, allowed, found }: Fault, noun: string): string {
  if (problem === 'unknown') return `unknown ${noun}; allowed: ${allowed.join(', ') || 'none'}`
  if (problem === 'missing') return `is missing; it must be ${must}`
  // A parameter is an array only if it was repeated.
  return noun === 'parameter' && Array.isArray(found) ? 'is given more than once' : `must be ${must}`
}

/** Formats a path: `image_urls[0]`. */
const nameOf = ({ path }: Fault): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
    .slice(0, MAX_NAME_CHARS)
