// Failures before an answer: refusals, HTML pages of a proxy in between, and messages that leak secrets.
import type { Behaviour } from './behaviour.ts'
import type { Refusal } from './dialect.ts'

/** Secrets in the answers of `leak-N` and `html-N`, besides the caller's key. None may reach a gateway's callers or its log. */
export const LEAKED = [
  'backend-7.prod.internal',
  '10.20.30.40',
  'AIzaSyD-simulated0123456789abcdefghijkl',
  'token=simulated-secret',
] as const

const [HOST, ADDRESS, KEY, TOKEN] = LEAKED

const MESSAGES = new Map([
  [400, 'Request contains an invalid argument.'],
  [401, 'Request had invalid authentication credentials.'],
  [403, 'The caller does not have permission.'],
  [404, 'Requested entity was not found.'],
  [429, 'You exceeded your current quota, please check your plan and billing details.'],
  [500, 'An internal error has occurred.'],
  [503, 'The model is overloaded. Please try again later.'],
  [504, 'Deadline expired before operation could complete.'],
  [529, 'Overloaded'],
])

/**
 * @param field the field that a refusal names
 * @returns the refusal that the model's name triggers, or an HTML page of no protocol; undefined without a failure
 */
export function mishapOf(behaviour: Behaviour, key: string, field: string): Refusal | Response | undefined {
  if (behaviour.html !== undefined) return page(behaviour.html)
  if (behaviour.leak !== undefined) return { status: behaviour.leak, message: leakingMessage(key) }
  if (behaviour.fail === undefined) return undefined
  return {
    status: behaviour.fail,
    message: MESSAGES.get(behaviour.fail) ?? `The simulated provider answers with status ${behaviour.fail}.`,
    ...(behaviour.fail === 400 ? { field } : {}),
  }
}

/** The error that `fetch` throws if nothing listens. */
export function connectionRefused(): TypeError {
  return Object.assign(new TypeError(`Unable to connect to https://${HOST}`), { code: 'ConnectionRefused' })
}

function leakingMessage(key: string): string {
  return `Call to https://${HOST}:8443/v1/generate?key=${key || KEY}&${TOKEN} (${ADDRESS}) failed for key ${KEY} ${key}`
}

function page(status: number): Response {
  const html = `<!DOCTYPE html>
<html><head><title>Error ${status}</title></head>
<body><h1>Error ${status}</h1><p>The server ${HOST} (${ADDRESS}) could not serve <a href="https://${HOST}/?${TOKEN}">this</a>.</p></body></html>
`
  return new Response(html, { status, headers: { 'content-type': 'text/html; charset=UTF-8' } })
}
