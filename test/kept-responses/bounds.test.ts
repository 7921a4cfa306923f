// Bounds of kept responses: of an account, and of all together; beyond them the oldest conversations are removed, from their ends.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type World, world } from './world.ts'

/** Two fit into a megabyte, three do not. */
const HALF = 'x'.repeat(400_000)

let w: World
beforeEach(async () => {
  w = await world({ max_mb: 4, max_mb_per_account: 2 })
})
afterEach(() => w[Symbol.asyncDispose]())

const bytesOnDisk = async () =>
  (await Array.fromAsync(w.files.list())).reduce((total, { bytes }) => total + bytes, 0)

describe('the bound of an account', () => {
  test('its oldest responses are removed', async () => {
    for (const id of 'abcdefgh') await w.keep(id, { text: HALF })
    expect(w.rowsOf()).toBe('d e f g h')
    expect([await w.fileCount(), (await bytesOnDisk()) <= 2 * 1024 * 1024]).toEqual([5, true])
    expect(await w.findings()).toEqual([])
  })

  test('small ones count, too', async () => {
    for (let made = 0; made < 50; made += 1) await w.keep(`r${made}`, { text: 'x'.repeat(60_000) })
    const { bytes } = w.connection
      .query<{ bytes: number }, []>('SELECT sum(length(body)) AS bytes FROM responses')
      .get() ?? { bytes: 0 }
    expect(bytes).toBeLessThanOrEqual(2 * 1024 * 1024)
    expect(w.rowsOf()).toEndWith('r48 r49')
  })

  test('conversations that were continued longest ago go first, from their ends', async () => {
    await w.keep('old1', { text: HALF })
    await w.keep('old2', { text: HALF, previous_id: 'old1' })
    await w.keep('new1', { text: HALF })
    await w.keep('new2', { text: HALF, previous_id: 'new1' })
    await w.keep('old3', { text: HALF, previous_id: 'old2' })
    await w.keep('x', { text: HALF })
    expect(w.rowsOf()).toBe('old1 old2 new1 old3 x')
    await w.keep('y', { text: HALF })
    expect(w.rowsOf()).toBe('old1 old2 old3 x y')
    expect(await w.store.itemsUntil(1, 'old3')).toHaveLength(6)
    expect(await w.findings()).toEqual([])
  })

  test('a response is not removed for the one that continues it', async () => {
    await w.keep('a', { text: HALF })
    for (const id of 'bcde') await w.keep(id, { text: HALF })
    await w.keep('f', { text: HALF, previous_id: 'a' })
    expect(w.rowsOf()).toBe('a c d e f')
  })

  test('a conversation that fills the bound by itself is not continued, and stays', async () => {
    for (const [at, id] of [...'abcde'].entries())
      await w.keep(id, { text: HALF, previous_id: 'abcde'[at - 1] })
    await expect(w.keep('f', { text: HALF, previous_id: 'e' })).rejects.toMatchObject({
      kind: 'payload_too_large',
    })
    expect([w.rowsOf(), await w.fileCount()]).toEqual(['a b c d e', 5])
  })

  test('a response larger than the bound is not kept, and removes no other', async () => {
    await w.keep('a', { text: HALF })
    await expect(w.keep('b', { text: 'x'.repeat(3_000_000) })).rejects.toMatchObject({
      kind: 'payload_too_large',
    })
    expect([w.rowsOf(), await w.fileCount()]).toEqual(['a', 1])
  })

  test('many writes at once stay within it', async () => {
    const ids = Array.from({ length: 20 }, (_, at) => `r${at}`)
    await Promise.allSettled(ids.map((id) => w.keep(id, { text: HALF })))
    expect(await bytesOnDisk()).toBeLessThanOrEqual(2 * 1024 * 1024)
    expect(await w.findings()).toEqual([])
    await w.keep('last', { text: HALF })
    expect(w.rowsOf()).toEndWith('last')
  })

  test('many writes at once remove no more than they must', async () => {
    for (const id of 'abcd') await w.keep(id, { text: HALF })
    const small = Array.from({ length: 16 }, (_, at) => `r${at}`)
    await Promise.all(small.map((id) => w.keep(id, { text: 'x'.repeat(50_000) })))
    const before = w.rowsOf()
    expect(before.split(' ').toSorted()).toEqual(['b', 'c', 'd', ...small].toSorted())
    await w.reopen()
    expect(w.rowsOf()).toBe(before)
  })

  test('a response that is deleted while others are removed counts once', async () => {
    for (const id of 'abcd') await w.keep(id, { text: HALF })
    const deleted = [...'abcd'].map((id) => w.store.remove(1, id))
    await Promise.all([...deleted, ...[...'efgh'].map((id) => w.keep(id, { text: HALF }))])
    for (const id of 'ijkl') await w.keep(id, { text: HALF })
    expect((await bytesOnDisk()) <= 2 * 1024 * 1024).toBe(true)
    const before = w.rowsOf()
    await w.reopen()
    expect(w.rowsOf()).toBe(before)
    expect(await w.findings()).toEqual([])
  })

  test('deleting makes room', async () => {
    for (let round = 0; round < 10; round += 1) {
      await w.keep(`r${round}`, { text: HALF })
      if (round > 0) await w.store.remove(1, `r${round}`)
    }
    expect(w.rowsOf()).toBe('r0')
  })
})

describe('the bound of all accounts', () => {
  test('removes responses of the account that keeps most', async () => {
    w.settings.max_mb_per_account = 3
    for (const id of 'abcdefg') await w.keep(id, { text: HALF })
    for (const id of 'ab') await w.keep(id, { text: HALF, account_id: 2 })
    for (const id of 'ab') await w.keep(id, { text: HALF, account_id: 3 })
    expect([w.rowsOf(1), w.rowsOf(2), w.rowsOf(3)]).toEqual(['b c d e f g', 'a b', 'a b'])
  })

  test('of 0 keeps nothing', async () => {
    w.settings.max_mb = 0
    await expect(w.keep('a')).rejects.toMatchObject({ kind: 'payload_too_large' })
    await expect(w.keep('b', { text: HALF })).rejects.toMatchObject({ kind: 'payload_too_large' })
    expect([w.rowsOf(), await w.fileCount()]).toEqual(['', 0])
  })
})

describe('after a restart', () => {
  test('the content on the disk is counted again', async () => {
    for (const id of 'abcde') await w.keep(id, { text: HALF })
    await w.reopen()
    await w.keep('f', { text: HALF })
    expect(w.rowsOf()).toBe('b c d e f')
  })

  test('bounds that were lowered hold with the next sweep', async () => {
    for (const id of 'abcde') await w.keep(id, { text: HALF })
    w.settings.max_mb_per_account = 1
    await w.reopen()
    expect([w.rowsOf(), await w.fileCount()]).toEqual(['d e', 2])
  })

  test('files that no row names are deleted, as interrupted writes leave them', async () => {
    await w.keep('a', { text: HALF })
    await w.files.put('stray', new Uint8Array(10))
    expect(await w.reopen()).toBe(1)
    expect([w.rowsOf(), await w.fileCount()]).toEqual(['a', 1])
  })
})

describe('the audit', () => {
  test.each<[string, string, string]>([
    ['a missing file', 'file', 'response a: kept_response_has_its_content'],
    [
      'a wrong count of bytes',
      "UPDATE responses SET kept_bytes = 7 WHERE response_id = 'a'",
      'response a: kept_response_has_its_content',
    ],
    [
      'a wrong count of a conversation',
      "UPDATE responses SET chain_length = 5 WHERE response_id = 'b'",
      'response b: conversation_is_whole',
    ],
    [
      'a conversation over two accounts',
      "UPDATE responses SET account_id = 2 WHERE response_id = 'b'",
      'response b: conversation_is_whole',
    ],
    [
      'a wrong count of later responses',
      "UPDATE responses SET later = 2 WHERE response_id = 'b'",
      'response b: response_counts_those_after_it',
    ],
  ])('finds %s', async (_, change, found) => {
    await w.keep('a', { text: HALF })
    await w.keep('b', { previous_id: 'a' })
    expect(await w.findings()).toEqual([])
    if (change === 'file') for await (const { key } of w.files.list()) await w.files.remove(key)
    else w.connection.run(change)
    expect(await w.findings()).toContain(found)
  })

  test('a response whose file is missing is not found, nor is a conversation that includes it', async () => {
    await w.keep('a', { text: HALF })
    await w.keep('b', { previous_id: 'a' })
    for await (const { key } of w.files.list()) await w.files.remove(key)
    expect([await w.store.find(1, 'a'), await w.store.itemsUntil(1, 'b')]).toEqual([undefined, undefined])
    expect(await w.store.find(1, 'b')).toBeDefined()
    expect(await w.store.remove(1, 'a')).toBe(true)
  })
})
