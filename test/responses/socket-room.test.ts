// Room for messages over WebSockets that wait for their calls: messages beyond it are refused, and all of it is returned.
import { expect, test } from 'bun:test'
import { Connection } from '../../plugins/responses/socket/connection.ts'
import type { Served } from '../../plugins/responses/socket/connection-options.ts'
import { createTurns } from '../../plugins/responses/socket/turns.ts'
import { unwrap } from '../../src/protocols/wire/json-splice.ts'
import { createSharedBytes } from '../../src/utilities/shared-bytes.ts'

const LIMIT_BYTES = 2_000
const create = (chars: number, stream_id = 'a') =>
  JSON.stringify({ type: 'response.create', stream_id, input: 'x'.repeat(chars) })

function scene() {
  const arrived = createSharedBytes(LIMIT_BYTES)
  /** The calls that started, in their order. */
  const calls: { take: () => void; answer: () => void }[] = []
  const open = () => {
    const messages: string[] = []
    const received = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<number>()
    const socket = {
      isPaused: false,
      send(message: string) {
        received.resolve()
        return messages.push(message)
      },
      getBufferedAmount: () => 0,
      pause: () => undefined,
      resume: () => undefined,
      ping: () => undefined,
      close: closed.resolve,
      terminate: () => undefined,
    }
    const connection = new Connection({
      account_id: 1,
      opened_at_ms: 0,
      arrived,
      turns: createTurns({ max_steps: 4 }),
      assertWelcome: () => Promise.resolve(),
      unwrap: (bytes, rules) => Promise.resolve(unwrap(bytes, rules)),
      serve(_, { onTaken }) {
        const { promise, resolve } = Promise.withResolvers<Served>()
        calls.push({ take: onTaken, answer: () => resolve({ answer: Response.json({}), was_let_in: true }) })
        return promise
      },
      refuse: ({ kind, retry_after_s }) =>
        Response.json(
          { error: { kind } },
          { status: 503, headers: { 'retry-after': String(retry_after_s) } },
        ),
      onOpen: () => undefined,
      onMessage: () => undefined,
      onClose: () => undefined,
    })
    connection.open(socket)
    return {
      say: (text: string) => connection.message(socket, text),
      leave: () => connection.close(socket, 1006),
      messages,
      received: received.promise,
      closed: closed.promise,
    }
  }
  return { arrived, calls, open }
}

test('a message without room is answered as overloaded, and its socket is closed', async () => {
  const { calls, open } = scene()
  const [first, second] = [open(), open()]
  first.say(create(800))
  second.say(create(800))
  expect(await second.closed).toBe(1013)
  expect(second.messages.map((message) => JSON.parse(message))).toEqual([
    { type: 'error', status: 503, error: { kind: 'overloaded' }, headers: { 'retry-after': '5' } },
  ])
  expect(calls).toHaveLength(1)
})

test.each<[name: string, before: (s: ReturnType<typeof scene>) => unknown]>([
  [
    'a call has taken it',
    ({ open, calls }) => {
      open().say(create(800))
      calls[0]?.take()
    },
  ],
  [
    'a call was answered without it',
    async ({ open, calls }) => {
      const caller = open()
      caller.say(create(800))
      calls[0]?.answer()
      await caller.received
    },
  ],
  [
    'its caller has disconnected, with messages that wait in a lane',
    ({ open }) => {
      const left = open()
      for (let sent = 0; sent < 3; sent++) left.say(create(200))
      left.leave()
    },
  ],
  [
    'its caller has disconnected, and its call takes it late',
    ({ open, calls }) => {
      const left = open()
      left.say(create(800))
      left.leave()
      calls[0]?.take()
    },
  ],
  [
    'it requested no response',
    ({ open }) => open().say(`{"type":"response.processed","x":"${'x'.repeat(800)}"}`),
  ],
  ['it could not be understood', ({ open }) => open().say('x'.repeat(900))],
])('the room of a message is free again where %s', async (_, before) => {
  const s = scene()
  await before(s)
  // Exactly the half that one account may have is free: nothing was returned twice.
  expect([s.arrived.take(1, LIMIT_BYTES / 2), s.arrived.take(1, 1)]).toEqual([true, false])
})
