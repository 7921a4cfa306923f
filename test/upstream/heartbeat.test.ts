// Pings inside a stream: sent after a long silence towards the caller, while the provider goes on.
import { expect, spyOn, test } from 'bun:test'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import { decodeByteString } from '../../src/protocols/wire/byte-string.ts'
import { Heartbeat } from '../../src/upstream/heartbeat.ts'
import { eventFrame, passOn, reframe } from '../../src/upstream/relay.ts'

const PING = 'event: ping\n\n'
const bytes = Buffer.from('data: x\n\n')

/** Each step: seconds since the start, whether the caller gets output, whether a ping is sent. */
test.each<[name: string, steps: [at_s: number, has_output: boolean, pings: boolean][]]>([
  [
    'nothing before the first event',
    [
      [0, false, false],
      [60, false, false],
      [61, true, false],
    ],
  ],
  [
    'none while there is output',
    [
      [0, true, false],
      [20, true, false],
      [40, true, false],
    ],
  ],
  [
    'none after a short silence',
    [
      [0, true, false],
      [14, false, false],
    ],
  ],
  [
    'one after a long silence, and one more after as long',
    [
      [0, true, false],
      [15, false, true],
      [16, false, false],
      [30, false, true],
    ],
  ],
  [
    'output ends the silence',
    [
      [0, true, false],
      [14, true, false],
      [28, false, false],
      [29, false, true],
    ],
  ],
])('%s', (_, steps) => {
  let now_ms = 0
  const heartbeat = new Heartbeat(PING, () => now_ms)
  for (const [at_s, has_output, pings] of steps) {
    now_ms = at_s * 1_000
    const sent = heartbeat.after(has_output ? bytes : undefined)
    expect([at_s, sent?.toString()]).toEqual([at_s, has_output ? bytes.toString() : pings ? PING : undefined])
  }
})

test.each([
  ['passed on', () => passOn(anthropic.text.stream.open(), eventFrame('error', PING))],
  [
    'framed again',
    () =>
      reframe(anthropic.text.stream.open(), eventFrame('error', PING), {
        next: (data) => [{ data: decodeByteString(data) }],
        finish: () => [],
      }),
  ],
])('a provider’s comments become pings in a stream that is %s, until it ends', (_, open) => {
  using clock = spyOn(performance, 'now')
  const relay = open()
  const push = (at_s: number, text: string): string | undefined => {
    clock.mockReturnValue(at_s * 1_000)
    const sent = relay.push(Buffer.from(text))
    return sent && Buffer.from(sent).toString()
  }
  expect(push(0, ': processing\n\n')).toBeUndefined()
  expect(push(20, 'data: {"type":"message_start"}\n\n')).toContain('message_start')
  expect(push(25, ': processing\n\n')).toBeUndefined()
  expect(push(40, ': processing\n\n')).toBe(PING)
  expect(push(50, 'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n')).toContain(
    'end_turn',
  )
  expect(push(90, ': processing\n\n')).toBeUndefined()
})
