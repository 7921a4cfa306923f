// Who reads a streamed answer: only what nobody in the gateway reads may go straight into a socket, since that holds no other reader's pace.
import { expect, test } from 'bun:test'
import type { CallOrigin } from '../../src/calls/life/call.ts'
import { readBy } from '../../src/calls/serving/pump-answer.ts'

const origin = (headers: Record<string, string>) =>
  ({ request: new Request('http://gateway/', { headers }) }) as CallOrigin
const KEYED = { 'idempotency-key': 'once' }

test.each([
  ['a call of its own', { origin: origin({}) }, 'socket'],
  ['one that is kept under its key', { origin: origin(KEYED) }, 'gateway'],
] as const)('%s', (_, call, expected) => expect(readBy(call)).toBe(expected))
