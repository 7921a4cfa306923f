// The reader of a streamed answer: an answer that the gateway keeps is read by the gateway; any other may go straight into the socket, which waits for no other reader.
import { expect, test } from 'bun:test'
import type { CallOrigin } from '../../src/calls/life/call.ts'
import { readBy } from '../../src/calls/serving/pump-answer.ts'

const origin = (headers: Record<string, string>) =>
  ({ request: new Request('http://gateway/', { headers }) }) as CallOrigin
const KEYED = { 'idempotency-key': 'once' }

test.each([
  ['a call without an Idempotency-Key', { origin: origin({}) }, 'socket'],
  ['a call whose answer is kept under an Idempotency-Key', { origin: origin(KEYED) }, 'gateway'],
] as const)('%s', (_, call, expected) => expect(readBy(call)).toBe(expected))
