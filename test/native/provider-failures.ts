// Failures of providers, with words in them that no caller and no log may show.
import { expect } from 'bun:test'
import { PROVIDER_KEYS } from '../support/catalogue.ts'
import { type Answer, RESET, refusal, SILENCE } from '../support/upstream.ts'

const SECRETS = [...PROVIDER_KEYS, 'AIzaSy', '10.20.30.40', '127.0.0.1', 'provider.internal']

/** A provider's error that contains its key and its address. */
export const leaky = (code: number, status: string, words = 'Failed') => ({
  error: {
    code,
    status,
    message: `${words}: ${PROVIDER_KEYS[0]} at https://provider.internal:8443/v1beta/x?key=AIzaSyA1234567890123456789012345678901 from 10.20.30.40:443`,
  },
})

/** Asserts that a text contains no secret. */
export function expectNoLeak(text: string): void {
  for (const secret of SECRETS) expect(text).not.toContain(secret)
}

/** How a provider fails, and the status that the caller gets. */
export const FAILURES: [string, Answer, number, string][] = [
  ['300', refusal(300), 502, 'UNAVAILABLE'],
  ['302 to elsewhere', refusal(302, '', { location: 'http://127.0.0.1:1/' }), 502, 'UNAVAILABLE'],
  ['400 of the request', refusal(400, leaky(400, 'INVALID_ARGUMENT')), 400, 'INVALID_ARGUMENT'],
  [
    '400 of the key',
    refusal(400, {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'API key not valid.',
        details: [{ reason: 'API_KEY_INVALID' }],
      },
    }),
    502,
    'UNAVAILABLE',
  ],
  ['401', refusal(401, leaky(401, 'UNAUTHENTICATED')), 502, 'UNAVAILABLE'],
  ['403', refusal(403, leaky(403, 'PERMISSION_DENIED')), 502, 'UNAVAILABLE'],
  ['404', refusal(404, leaky(404, 'NOT_FOUND')), 502, 'UNAVAILABLE'],
  ['408', refusal(408), 502, 'UNAVAILABLE'],
  ['413', refusal(413, leaky(413, 'INVALID_ARGUMENT')), 400, 'INVALID_ARGUMENT'],
  ['429', refusal(429, leaky(429, 'RESOURCE_EXHAUSTED')), 429, 'RESOURCE_EXHAUSTED'],
  ['499', refusal(499), 502, 'UNAVAILABLE'],
  ['500', refusal(500, leaky(500, 'INTERNAL')), 502, 'UNAVAILABLE'],
  [
    '500 in HTML',
    refusal(500, '<html>proxy.internal:3128</html>', { 'content-type': 'text/html' }),
    502,
    'UNAVAILABLE',
  ],
  ['500 of several megabytes', refusal(500, 'x'.repeat(3_000_000)), 502, 'UNAVAILABLE'],
  ['501', refusal(501), 502, 'UNAVAILABLE'],
  ['503', refusal(503, leaky(503, 'UNAVAILABLE')), 502, 'UNAVAILABLE'],
  ['504', refusal(504), 502, 'UNAVAILABLE'],
  ['599', refusal(599), 502, 'UNAVAILABLE'],
  ['a connection that is reset before any answer', RESET, 502, 'UNAVAILABLE'],
  ['a connection that is reset after the headers', { steps: [{ send: '' }, 'reset'] }, 502, 'UNAVAILABLE'],
  ['no answer in time', SILENCE, 502, 'UNAVAILABLE'],
  ['headers, and nothing more in time', { steps: [{ send: '' }, 'hang'] }, 502, 'UNAVAILABLE'],
  ['an empty answer', { steps: [] }, 502, 'UNAVAILABLE'],
  ['204', { status: 204, steps: [] }, 502, 'UNAVAILABLE'],
]

/** Lines of the provider: short time-outs for failures that never answer, the usual ones for all others. */
export const timeoutsFor = (failure: string): string =>
  failure.endsWith('in time') ? 'first_byte_timeout_ms = 100\ncall_timeout_ms = 100' : ''
