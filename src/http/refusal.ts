// Faults that the validator found in a request, as the refusal that tells the caller of them.
import { type GatewayError, invalidRequest } from '../domain/errors.ts'
import type { Fault } from '../domain/validation.ts'

/** Of a name that a caller made up, this many characters are repeated. */
const MAX_NAME_CHARS = 64

/** An invalid_request that names every fault; `param` is the first one's name, `code` the first one's. */
export function refusalOf(faults: readonly Fault[], noun: 'parameter' | 'field'): GatewayError {
  const [first] = faults
  if (!first) return invalidRequest('The request is malformed. Check its fields.')
  const message = faults.map((fault) => `${nameOf(fault)}: ${problemOf(fault, noun)}.`).join(' ')
  return invalidRequest(message, { param: nameOf(first), code: first.code })
}

function problemOf({ problem, must, allowed, found }: Fault, noun: string): string {
  if (problem === 'unknown') return `unknown ${noun}; allowed: ${allowed.join(', ') || 'none'}`
  if (problem === 'missing') return `is missing; it must be ${must}`
  // Only a parameter that was given several times reads as an array.
  return noun === 'parameter' && Array.isArray(found) ? 'is given more than once' : `must be ${must}`
}

/** A path as a caller would write it: `image_urls[0]`. */
const nameOf = ({ path }: Fault): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
    .slice(0, MAX_NAME_CHARS)
