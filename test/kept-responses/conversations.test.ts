// Conversations of kept responses: continued, deleted in parts, expired; each account has its own.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { KeptResponse } from '../../src/responses/kept-responses.ts'
import { deleteAllOf } from '../../src/responses/rows.ts'
import { MAX_CHAIN_LENGTH } from '../../src/responses/store.ts'
import { LARGE, user } from './support.ts'
import { DAY_MS, type World, world } from './world.ts'

let w: World
beforeEach(async () => {
  w = await world()
})
afterEach(() => w[Symbol.asyncDispose]())

/** The items of a conversation, as a later request brings them. */
const itemsOf = (...kept: KeptResponse[]) =>
  kept.flatMap(({ input, response }) => [...input, ...(response.output as typeof input)])

/** a ← b ← c */
async function three(text?: string): Promise<[KeptResponse, KeptResponse, KeptResponse]> {
  const more = text ? { text } : {}
  return [
    await w.keep('a', more),
    await w.keep('b', { previous_id: 'a', ...more }),
    await w.keep('c', { previous_id: 'b', ...more }),
  ]
}

describe.each([
  ['in rows', undefined],
  ['in files', LARGE],
])('a conversation %s', (_, text) => {
  test('is whole up to each of its responses', async () => {
    const [a, b, c] = await three(text)
    expect(await w.store.itemsUntil(1, 'a')).toEqual(itemsOf(a))
    expect(await w.store.itemsUntil(1, 'b')).toEqual(itemsOf(a, b))
    expect(await w.store.itemsUntil(1, 'c')).toEqual(itemsOf(a, b, c))
    expect(await w.store.find(1, 'c')).toEqual(c)
    expect(await w.store.find(1, 'a')).toEqual(a)
    expect(await w.findings()).toEqual([])
  })

  test('has its size before it is read', async () => {
    const kept = await three(text)
    const bytes = kept.reduce(
      (total, { response, input }) =>
        total + [response, ...input].reduce((sum, value) => sum + JSON.stringify(value).length + 1, 0),
      0,
    )
    expect(await w.store.bytesUntil(1, 'c')).toBe(bytes)
    expect(await w.store.bytesUntil(2, 'c')).toBeUndefined()
  })

  test('can branch from one response', async () => {
    const [a, b] = await three(text)
    const other = await w.keep('other', { previous_id: 'b' })
    expect(await w.store.itemsUntil(1, 'other')).toEqual(itemsOf(a, b, other))
    await w.store.remove(1, 'c')
    expect(await w.store.itemsUntil(1, 'other')).toEqual(itemsOf(a, b, other))
    expect(w.rowsOf()).toBe('a b other')
  })

  test('survives a restart', async () => {
    const kept = await three(text)
    expect(await w.reopen()).toBe(0)
    expect(await w.store.itemsUntil(1, 'c')).toEqual(itemsOf(...kept))
  })
})

describe('deleting', () => {
  test('a response that none continues removes its row and its file', async () => {
    await w.keep('a', { text: LARGE })
    expect([await w.store.remove(1, 'a'), w.rowsOf(), await w.fileCount()]).toEqual([true, '', 0])
  })

  test('a response in the middle hides it, and those after it stay whole', async () => {
    const kept = await three(LARGE)
    expect(await w.store.remove(1, 'b')).toBe(true)
    expect(w.rowsOf()).toBe('a (b) c')
    expect([await w.store.find(1, 'b'), await w.store.itemsUntil(1, 'b')]).toEqual([undefined, undefined])
    expect(await w.store.itemsUntil(1, 'c')).toEqual(itemsOf(...kept))
    expect((await w.store.find(1, 'c'))?.previous_id).toBe('b')
    expect(await w.store.remove(1, 'b')).toBe(false)
    expect(await w.findings()).toEqual([])
  })

  test('the last one then removes those that were kept only for it', async () => {
    await three(LARGE)
    await w.store.remove(1, 'a')
    await w.store.remove(1, 'b')
    expect(w.rowsOf()).toBe('(a) (b) c')
    await w.store.remove(1, 'c')
    expect([w.rowsOf(), await w.fileCount()]).toEqual(['', 0])
  })

  test('removes nothing that another conversation needs', async () => {
    const [a, b] = await three()
    const other = await w.keep('other', { previous_id: 'b' })
    for (const id of ['a', 'b', 'c']) await w.store.remove(1, id)
    expect(w.rowsOf()).toBe('(a) (b) other')
    expect(await w.store.itemsUntil(1, 'other')).toEqual(itemsOf(a, b, other))
    expect(await w.findings()).toEqual([])
  })

  test('a response that a call is continuing: the new one is not kept, because its beginning is missing', async () => {
    await w.keep('a')
    await w.store.remove(1, 'a')
    await expect(w.keep('b', { previous_id: 'a', text: LARGE })).rejects.toMatchObject({ kind: 'not_found' })
    expect([w.rowsOf(), await w.fileCount()]).toEqual(['', 0])
  })
})

test('a long conversation is read from either end, all of it', async () => {
  const ids = Array.from({ length: 250 }, (_, at) => `r${at}`)
  for (const [at, id] of ids.entries()) await w.keep(id, { previous_id: ids[at - 1] })
  for (const [order, expected] of [
    ['oldest first', ids],
    ['newest first', ids.toReversed()],
  ] as const) {
    const turns = await w.store.turnsUntil(1, 'r249', order)
    expect(turns && (await Array.fromAsync(turns, ({ id }) => id))).toEqual(expected)
  }
  expect(await w.store.itemsUntil(1, 'r249')).toHaveLength(500)
})

describe('an account that is closed', () => {
  const close = (account_id: number) =>
    w.connection.run('INSERT INTO closed_accounts VALUES (?, ?)', [account_id, 1])

  test('loses all of its responses, in rows and in files; others keep theirs', async () => {
    await three(LARGE)
    await w.keep('other', { previous_id: 'b' })
    await w.store.remove(1, 'a')
    const foreign = await w.keep('a', { account_id: 2, text: LARGE })
    const deleted = await deleteAllOf(w.db, 1)
    expect(deleted.map(({ response_id }) => response_id).sort()).toEqual(['a', 'b', 'c', 'other'])
    for (const { body_file } of deleted) if (body_file) await w.files.remove(body_file)
    expect([w.rowsOf(1), w.rowsOf(2), await w.fileCount(), await w.findings()]).toEqual(['', 'a', 1, []])
    expect(await w.store.find(2, 'a')).toEqual(foreign)
    expect(await deleteAllOf(w.db, 1)).toEqual([])
  })

  test('loses in a sweep the responses that a call under way kept, and their room is free', async () => {
    await w.keep('a', { account_id: 2, text: LARGE })
    close(1)
    await three(LARGE)
    await w.store.sweep()
    expect([w.rowsOf(1), w.rowsOf(2), await w.fileCount(), await w.findings()]).toEqual(['', 'a', 1, []])
  })

  test('keeps them while it is only suspended', async () => {
    await three()
    w.connection.run("UPDATE accounts SET status = 'suspended' WHERE id = 1")
    await w.store.sweep()
    expect(w.rowsOf(1)).toBe('a b c')
  })
})

describe('accounts', () => {
  test("another account's response is unknown", async () => {
    await w.keep('a')
    expect([
      await w.store.find(2, 'a'),
      await w.store.itemsUntil(2, 'a'),
      await w.store.turnsUntil(2, 'a', 'newest first'),
      await w.store.remove(2, 'a'),
    ]).toEqual([undefined, undefined, undefined, false])
    await expect(w.keep('b', { account_id: 2, previous_id: 'a' })).rejects.toMatchObject({
      kind: 'not_found',
    })
    expect(w.rowsOf(2)).toBe('')
  })

  test('two accounts may have the same id; one may not have it twice', async () => {
    await w.keep('a')
    const second = await w.keep('a', { account_id: 2 })
    expect(await w.store.find(2, 'a')).toEqual(second)
    await expect(w.keep('a', { text: LARGE })).rejects.toThrow('UNIQUE')
    expect(await w.fileCount()).toBe(0)
  })
})

describe('time', () => {
  test('a response is available for 30 days, to the millisecond', async () => {
    await w.keep('a')
    w.clock.now_ms += 30 * DAY_MS - 1
    expect(await w.store.find(1, 'a')).toBeDefined()
    w.clock.now_ms += 1
    expect([await w.store.find(1, 'a'), await w.store.itemsUntil(1, 'a')]).toEqual([undefined, undefined])
    expect(await w.store.remove(1, 'a')).toBe(false)
  })

  test('a change of the days in the catalogue applies at once', async () => {
    await w.keep('a')
    w.clock.now_ms += 2 * DAY_MS
    w.settings.days = 1
    expect(await w.store.find(1, 'a')).toBeUndefined()
    w.settings.days = 3
    expect(await w.store.find(1, 'a')).toBeDefined()
  })

  test('a sweep deletes it an hour later: a call that is continuing it can still end', async () => {
    await w.keep('a', { text: LARGE })
    w.clock.now_ms += 30 * DAY_MS
    await w.store.sweep()
    await w.keep('b', { previous_id: 'a' })
    expect(w.rowsOf()).toBe('a b')
    await w.store.remove(1, 'b')
    w.clock.now_ms += DAY_MS
    await w.store.sweep()
    expect([w.rowsOf(), await w.fileCount()]).toEqual(['', 0])
  })

  test('a response that a younger one continues stays for it, and is deleted with it', async () => {
    const a = await w.keep('a', { text: LARGE })
    w.clock.now_ms += 29 * DAY_MS
    const b = await w.keep('b', { previous_id: 'a' })
    w.clock.now_ms += 2 * DAY_MS
    await w.store.sweep()
    expect(await w.store.find(1, 'a')).toBeUndefined()
    expect(await w.store.itemsUntil(1, 'b')).toEqual(itemsOf(a, b))
    w.clock.now_ms += 29 * DAY_MS
    await w.store.sweep()
    expect([w.rowsOf(), await w.fileCount()]).toEqual(['', 0])
  })

  test('deleting a younger one deletes the expired ones before it', async () => {
    await w.keep('a')
    w.clock.now_ms += 29 * DAY_MS
    await w.keep('b', { previous_id: 'a' })
    w.clock.now_ms += 2 * DAY_MS
    await w.store.remove(1, 'b')
    expect(w.rowsOf()).toBe('')
  })

  test('a sweep over many deletes them all', async () => {
    for (let made = 0; made < 250; made += 1) await w.keep(`r${made}`, { account_id: 1 + (made % 3) })
    w.clock.now_ms += 31 * DAY_MS
    await w.store.sweep()
    expect([w.rowsOf(1), w.rowsOf(2), w.rowsOf(3)]).toEqual(['', '', ''])
  })
})

describe('store = false', () => {
  test('keeps nothing, shows nothing, and the next sweep deletes everything', async () => {
    await three(LARGE)
    w.settings.store = false
    expect(w.store.enabled).toBe(false)
    expect(await w.store.find(1, 'a')).toBeUndefined()
    await w.keep('d')
    expect(w.rowsOf()).toBe('a b c')
    await w.store.sweep()
    expect([w.rowsOf(), await w.fileCount()]).toEqual(['', 0])
  })
})

describe('the length of a conversation', () => {
  test('over its bound it is read, but not continued', async () => {
    w.settings.max_mb_per_conversation = 1
    let previous_id: string | undefined
    for (let made = 0; made < 11; made += 1)
      previous_id = (await w.keep(`r${made}`, { previous_id, text: LARGE })).id
    await expect(w.store.itemsUntil(1, 'r10')).rejects.toMatchObject({
      kind: 'invalid_request',
      param: 'previous_response_id',
      code: 'conversation_too_long',
      message: expect.stringContaining('11 responses, 2 MB'),
    })
    expect(await w.store.itemsUntil(1, 'r9')).toHaveLength(20)
    expect(await w.store.find(1, 'r10')).toBeDefined()
  })

  test('does not block other work, which gets its turn while it is read', async () => {
    let previous_id: string | undefined
    for (let made = 0; made < 40; made += 1)
      previous_id = (await w.keep(`r${made}`, { previous_id, text: 'x'.repeat(50_000) })).id
    const order: string[] = []
    const read = w.store.itemsUntil(1, 'r39').then(() => order.push('read'))
    setImmediate(() => order.push('another'))
    await read
    expect(order).toEqual(['another', 'read'])
  })

  test(`of ${MAX_CHAIN_LENGTH} responses is not continued either`, async () => {
    await w.keep('a')
    w.connection.run('UPDATE responses SET chain_length = ?, previous = NULL', [1])
    let previous_id = 'a'
    for (let made = 2; made <= MAX_CHAIN_LENGTH; made += 1)
      previous_id = (await w.keep(`r${made}`, { previous_id, input: [user('on')] })).id
    expect(await w.store.itemsUntil(1, `r${MAX_CHAIN_LENGTH - 1}`)).toHaveLength(2 * (MAX_CHAIN_LENGTH - 1))
    await expect(w.store.itemsUntil(1, previous_id)).rejects.toMatchObject({ code: 'conversation_too_long' })
  })
})
