// The room for messages over WebSockets that wait for their calls: what is refused once it is full, and that all of it is given back.
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
  /** Of the calls that have begun, in their order. */
  const begun: { take: () => void; answer: () => void }[] = []
  const open = () => {
    const told: string[] = []
    const heard = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<number>()
    const socket = {
      isPaused: false,
      send(message: string) {
        heard.resolve()
        return told.push(message)
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
        begun.push({ take: onTaken, answer: () => resolve({ answer: Response.json({}), was_let_in: true }) })
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
      told,
      hears: heard.promise,
      closed: closed.promise,
    }
  }
  return { arrived, begun, open }
}

test('a message for which there is no room is answered as overloaded, and its socket closed', async () => {
  const { begun, open } = scene()
  const [first, second] = [open(), open()]
  first.say(create(800))
  second.say(create(800))
  expect(await second.closed).toBe(1013)
  expect(second.told.map((message) => JSON.parse(message))).toEqual([
    { type: 'error', status: 503, error: { kind: 'overloaded' }, headers: { 'retry-after': '5' } },
  ])
  expect(begun).toHaveLength(1)
})

test.each<[what: string, before: (s: ReturnType<typeof scene>) => unknown]>([
  [
    'a call has taken it',
    ({ open, begun }) => {
      open().say(create(800))
      begun[0]?.take()
    },
  ],
  [
    'a call was answered without it',
    async ({ open, begun }) => {
      const caller = open()
      caller.say(create(800))
      begun[0]?.answer()
      await caller.hears
    },
  ],
  [
    'its caller has left, with what waits in a lane',
    ({ open }) => {
      const left = open()
      for (let sent = 0; sent < 3; sent++) left.say(create(200))
      left.leave()
    },
  ],
  [
    'its caller has left, and its call takes it late',
    ({ open, begun }) => {
      const left = open()
      left.say(create(800))
      left.leave()
      begun[0]?.take()
    },
  ],
  [
    'it asked for no response',
    ({ open }) => open().say(`{"type":"response.processed","x":"${'x'.repeat(800)}"}`),
  ],
  ['it could not be understood', ({ open }) => open().say('x'.repeat(900))],
])('there is room again where %s', async (_, before) => {
  const s = scene()
  await before(s)
  // Half of it, which is all that one account may have, and no more: nothing was given back twice.
  expect([s.arrived.take(1, LIMIT_BYTES / 2), s.arrived.take(1, 1)]).toEqual([true, false])
})
