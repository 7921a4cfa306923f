// Unpaid messages over WebSockets: how many of them a turn of the event loop reads or refuses, and after how many a socket is closed.
import { describe, expect, test } from 'bun:test'
import { Connection } from '../../plugins/responses/socket/connection.ts'
import { createTurns } from '../../plugins/responses/socket/turns.ts'
import { permissionDenied } from '../../src/domain/errors.ts'
import { unwrap } from '../../src/protocols/wire/json-splice.ts'
import { createSharedBytes } from '../../src/utilities/shared-bytes.ts'
import { eventually } from '../support/eventually.ts'

const MEGABYTE = 1024 * 1024
const MAX_STEPS = 4
const create = (input: string, stream_id?: string) =>
  JSON.stringify({ type: 'response.create', stream_id, input })
const refusal = () => Response.json({ error: { message: 'No.' } }, { status: 402 })

interface Caller {
  /** True for a call that money is held for. */
  pays?: (call: number) => boolean
  is_welcome?: boolean
}

function scene() {
  const scheduled: (() => void)[] = []
  const turns = createTurns({ max_steps: MAX_STEPS, nextTurn: (run) => scheduled.push(run) })
  const counts = { calls: 0, refusals: 0, unwrapped: 0, largest: 0 }
  const open = ({ pays = () => false, is_welcome = true }: Caller = {}) => {
    const messages: { status?: number; stream_id?: string }[] = []
    const closed: { code: number; reason: string | undefined }[] = []
    let calls = 0
    const connection = new Connection({
      account_id: 1,
      opened_at_ms: 0,
      arrived: createSharedBytes(1024 * MEGABYTE),
      turns,
      assertWelcome: () => (is_welcome ? Promise.resolve() : Promise.reject(permissionDenied('No.'))),
      unwrap(bytes, rules) {
        counts.unwrapped++
        return Promise.resolve(unwrap(bytes, rules))
      },
      serve(_, { onTaken }) {
        counts.calls++
        onTaken()
        return Promise.resolve({ answer: refusal(), was_let_in: pays(++calls) })
      },
      refuse() {
        counts.refusals++
        return refusal()
      },
      onOpen: () => undefined,
      onMessage(_, bytes) {
        counts.largest = Math.max(counts.largest, bytes)
      },
      onClose: () => undefined,
    })
    const socket = {
      isPaused: false,
      send: (message: string) => messages.push(JSON.parse(message)),
      getBufferedAmount: () => 0,
      pause() {
        socket.isPaused = true
      },
      resume() {
        socket.isPaused = false
      },
      ping: () => undefined,
      close(code: number, reason?: string) {
        closed.push({ code, reason })
        connection.close(socket, code)
      },
      terminate: () => undefined,
    }
    connection.open(socket)
    const say = (text: string, times = 1) => {
      for (let sent = 0; sent < times; sent++) connection.message(socket, text)
    }
    return { connection, socket, say, messages, closed }
  }
  const work = () => counts.calls + counts.refusals
  /** Runs the next turn, and everything that follows from it without another. @returns false if no turn is scheduled */
  const turn = async (): Promise<boolean> => {
    const run = scheduled.shift()
    run?.()
    await Bun.sleep(0)
    return run !== undefined
  }
  /** Runs all turns. @returns the most work that one of them did */
  const allTurns = async (): Promise<number> => {
    let most = 0
    for (;;) {
      const before = work()
      if (!(await turn())) return most
      most = Math.max(most, work() - before)
    }
  }
  return { open, counts, turn, allTurns, work }
}

describe('a turn of the event loop', () => {
  test.each([
    ['refuses one request of a socket', create('Why?'), 101],
    ['reads one message that is not a request', 'hello', 100],
  ])('%s, however many came in one piece', async (_, message, all) => {
    const { open, work, allTurns } = scene()
    const caller = open()
    caller.say(message, 1_000)
    await Bun.sleep(0)
    expect(work()).toBe(1)
    expect(await allTurns()).toBe(1)
    expect(work()).toBe(all)
  })

  test('refuses at most four requests of all sockets together', async () => {
    const { open, work, allTurns } = scene()
    const callers = Array.from({ length: 20 }, () => open())
    for (const { say } of callers) say(create('Why?'), 100)
    await Bun.sleep(0)
    expect(work()).toBe(MAX_STEPS)
    expect(await allTurns()).toBe(MAX_STEPS)
    expect(work()).toBe(20 * 100)
  })
})

describe('a socket is closed', () => {
  const FLOODS: readonly (readonly [name: string, message: string])[] = [
    ['requests that are refused before money is held', create('Why?')],
    ['refused requests of a lane', create('Why?', 'a')],
    ['messages that cannot be understood', 'hello'],
    ['notices', '{"type":"response.processed"}'],
    ['steering of responses', '{"type":"response.steer","input":"Faster"}'],
  ]
  test.each(FLOODS)('after 100 %s, and nothing more is read', async (_, message) => {
    const { open, allTurns, work } = scene()
    const { say, closed, connection } = open()
    say(message, 100)
    await allTurns()
    expect(closed).toEqual([])
    say(message)
    await allTurns()
    expect(closed).toMatchObject([{ code: 1008, reason: expect.stringContaining('refused') }])
    expect(connection.was_abusive).toBe(true)
    const before = work()
    say(message, 10)
    await allTurns()
    expect(work()).toBe(before)
  })

  test('not while one in a hundred is paid', async () => {
    const { open, allTurns, counts } = scene()
    const { say, closed } = open({ pays: (call) => call % 100 === 0 })
    for (let round = 0; round < 5; round++) {
      say(create('Why?'), 100)
      await allTurns()
    }
    expect([counts.calls, closed]).toEqual([500, []])
  })

  test('at once with more than 2,000 messages that wait, and they are dropped', async () => {
    const { open, allTurns, work } = scene()
    const { say, closed } = open({ pays: () => true })
    say(create('Why?'), 2_500)
    expect(closed).toMatchObject([{ code: 1008, reason: expect.stringContaining('at once') }])
    await allTurns()
    expect(work()).toBe(1)
  })

  test('after 16 MB of refused ones', async () => {
    const { open, allTurns, counts } = scene()
    const { say, closed } = open({ is_welcome: false })
    const large = create('x'.repeat(9 * MEGABYTE))
    say(large)
    await allTurns()
    expect([closed.length, counts.largest]).toEqual([0, large.length])
    say(large)
    await allTurns()
    expect(closed).toMatchObject([{ code: 1008 }])
  })
})

describe('a large message', () => {
  test('of a caller who is not let in is refused unread, under the lane that it begins with', async () => {
    const { open, allTurns, counts } = scene()
    const { say, messages } = open({ is_welcome: false })
    say(create('x'.repeat(MEGABYTE), 'a'))
    await allTurns()
    await eventually('it is refused', () => messages.length > 0)
    expect(messages).toMatchObject([{ status: 402, stream_id: 'a' }])
    expect(counts).toMatchObject({ unwrapped: 0, calls: 0 })
  })

  test('keeps its place before the messages behind it', async () => {
    const { open, turn, counts } = scene()
    const { say } = open({ pays: () => true })
    say(create('x'.repeat(MEGABYTE)))
    say(create('Why?'))
    expect(counts).toMatchObject({ unwrapped: 0, calls: 0 })
    await turn()
    await eventually('both are served', async () => {
      await turn()
      return counts.calls === 2
    })
    expect(counts.unwrapped).toBe(1)
  })
})
