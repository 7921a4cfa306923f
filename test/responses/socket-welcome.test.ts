// Large messages over a WebSocket whose call could not be let in yet: the calls that they wait for, and their refusal; their sizes.
import { describe, expect, test } from 'bun:test'
import { Connection } from '../../plugins/responses/socket/connection.ts'
import { awaitWelcome, Lanes } from '../../plugins/responses/socket/lanes.ts'
import { createTurns } from '../../plugins/responses/socket/turns.ts'
import { unwrap } from '../../src/protocols/wire/json-splice.ts'

type Work = PromiseWithResolvers<void>

/** Lanes with one item under way in each. */
function busy(...names: (string | undefined)[]) {
  const lanes = new Lanes<Work>(
    ({ promise }) => promise,
    () => undefined,
  )
  const items = names.map((name) => {
    const item = Promise.withResolvers<void>()
    lanes.add(name, item)
    lanes.startNext()
    return item
  })
  return { lanes, items }
}

/** Tries until the call is welcome. */
function waiting(lanes: Lanes<Work>, lane: string | undefined) {
  const state = { is_welcome: false, tries: 0, end: '' }
  awaitWelcome(lanes, lane, async () => {
    state.tries++
    if (!state.is_welcome) throw new Error('not now')
  }).then(
    () => (state.end = 'let in'),
    () => (state.end = 'refused'),
  )
  return state
}

describe('a large message that could not be let in', () => {
  test('is let in once a call before it has ended', async () => {
    const { lanes, items } = busy('a', 'b')
    const state = waiting(lanes, 'a')
    await Bun.sleep(0)
    expect(state).toMatchObject({ tries: 1, end: '' })
    state.is_welcome = true
    items[1]?.resolve()
    await Bun.sleep(0)
    expect(state).toMatchObject({ tries: 2, end: 'let in' })
  })

  test.each([
    ['at once, where its lane is free', 'c', 0],
    ['after the calls of its lane', 'a', 1],
    ['after all calls, where its lane is unknown until it is read', undefined, 2],
  ])('is refused %s', async (_, lane, ended) => {
    const { lanes, items } = busy('a', 'b')
    const state = waiting(lanes, lane)
    for (const item of items.slice(0, ended)) {
      await Bun.sleep(0)
      expect(state.end).toBe('')
      item.resolve()
    }
    await Bun.sleep(0)
    expect(state.end).toBe('refused')
  })

  test('does not wait for calls that are dropped before they start', async () => {
    const { lanes } = busy()
    lanes.add('a', Promise.withResolvers())
    const state = waiting(lanes, 'a')
    lanes.clear()
    await Bun.sleep(0)
    expect(state.end).toBe('refused')
  })
})

test.each([
  ['ASCII', 'x'.repeat(60_000), 0],
  ['two bytes each', 'ж'.repeat(60_000), 1],
  ['three bytes each', '語'.repeat(30_000), 1],
])('a message has the size of its bytes: %s', async (_, input, looks) => {
  let tries = 0
  let taken_bytes = 0
  const connection = new Connection({
    account_id: 1,
    opened_at_ms: 0,
    arrived: {
      take(__, bytes) {
        taken_bytes = bytes
        return true
      },
      give: () => undefined,
    },
    turns: createTurns({ max_steps: 1 }),
    assertWelcome: () => Promise.resolve(void tries++),
    unwrap: (bytes, rules) => Promise.resolve(unwrap(bytes, rules)),
    serve: () => Promise.resolve({ answer: Response.json({}), was_let_in: true }),
    refuse: () => Response.json({}),
    onOpen: () => undefined,
    onMessage: () => undefined,
    onClose: () => undefined,
  })
  const socket = {
    isPaused: false,
    send: () => 1,
    getBufferedAmount: () => 0,
    pause: () => undefined,
    resume: () => undefined,
    ping: () => undefined,
    close: () => undefined,
    terminate: () => undefined,
  }
  const message = JSON.stringify({ type: 'response.create', input })
  connection.open(socket)
  connection.message(socket, message)
  await Bun.sleep(0)
  expect({ tries, taken_bytes }).toEqual({
    tries: looks,
    taken_bytes: new TextEncoder().encode(message).length,
  })
})
