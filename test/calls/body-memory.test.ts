// The memory of large bodies: shares of accounts, reservations, waiting, and its limits.
import { describe, expect, test } from 'bun:test'
import { createBodyMemory } from '../../src/calls/bodies/memory.ts'

const NEVER_ABORTED = new AbortController().signal
const ignoreAbort = () => undefined
const memoryOf = ({ wait_ms = 10_000, reserved_ms = 10_000 } = {}) =>
  createBodyMemory({ limit_bytes: 100, account_limit_bytes: 50, wait_ms, reserved_ms })

describe('body memory', () => {
  test('a caller who has sent nothing holds no memory', () => {
    const memory = memoryOf()
    for (let opened = 0; opened < 1_000; opened++) memory.open(1)
    expect(memory.open(2).grow(50, NEVER_ABORTED)).toBeUndefined()
  })

  test('one account cannot take all of the memory', async () => {
    const memory = memoryOf()
    const [first, second] = [memory.open(1), memory.open(1)]
    expect(first.grow(50, NEVER_ABORTED)).toBeUndefined()
    const waits = second.grow(10, NEVER_ABORTED)
    expect(waits).toBeInstanceOf(Promise)
    expect(memory.open(2).grow(50, NEVER_ABORTED)).toBeUndefined()
    first.release()
    await waits
  })

  test('the oldest of several half-received bodies gets more memory, so that all of them complete', async () => {
    const memory = memoryOf()
    const shares = Array.from({ length: 10 }, (_, account_id) => memory.open(account_id))
    for (const share of shares) expect(share.grow(10, NEVER_ABORTED)).toBeUndefined()
    const [oldest, ...others] = shares.map((share) => ({ share, more: share.grow(10, NEVER_ABORTED) }))
    expect(oldest?.more).toBeUndefined()
    for (const { more } of others) expect(more).toBeInstanceOf(Promise)
    let before = oldest
    for (const next of others) {
      before?.share.release()
      await next.more
      before = next
    }
  })

  test('a reservation takes its memory at once, and the bytes that arrive take no more', async () => {
    const memory = memoryOf()
    const [first, second] = [memory.open(1), memory.open(1)]
    expect(first.reserve(50, NEVER_ABORTED)).toBeUndefined()
    const waits = second.reserve(50, NEVER_ABORTED)
    expect(waits).toBeInstanceOf(Promise)
    for (let part = 0; part < 5; part++) expect(first.grow(10, NEVER_ABORTED)).toBeUndefined()
    expect(memory.open(2).reserve(50, NEVER_ABORTED)).toBeUndefined()
    first.release()
    await waits
  })

  test('a reservation takes no more than the limit of one account', () => {
    const memory = memoryOf()
    expect(memory.open(1).reserve(1_000, NEVER_ABORTED)).toBeUndefined()
    expect(memory.open(2).reserve(50, NEVER_ABORTED)).toBeUndefined()
  })

  test('a reservation whose bytes do not arrive in time is released for others', async () => {
    const memory = memoryOf({ reserved_ms: 5 })
    const slow = memory.open(1)
    expect([slow.reserve(50, NEVER_ABORTED), slow.grow(10, NEVER_ABORTED)]).toEqual([undefined, undefined])
    await memory.open(1).reserve(40, NEVER_ABORTED)
    // The slow body is the oldest, so it still gets its memory.
    expect(slow.grow(40, NEVER_ABORTED)).toBeUndefined()
  })

  test('a released reservation holds no memory', async () => {
    const memory = memoryOf({ reserved_ms: 5 })
    const abandoned = memory.open(1)
    expect(abandoned.reserve(50, NEVER_ABORTED)).toBeUndefined()
    abandoned.release()
    const next = memory.open(1)
    expect(next.reserve(50, NEVER_ABORTED)).toBeUndefined()
    // Waits until the first reservation would end; by then the second may have ended, too.
    await memory.open(1).grow(50, NEVER_ABORTED)
    expect(memory.open(2).grow(50, NEVER_ABORTED)).toBeUndefined()
  })

  test('a body that waits too long is refused, and a disconnect ends the wait', async () => {
    const memory = memoryOf({ wait_ms: 5 })
    for (const account_id of [1, 2]) expect(memory.open(account_id).grow(50, NEVER_ABORTED)).toBeUndefined()
    const late = memory.open(3)
    await expect(late.grow(60, NEVER_ABORTED)).rejects.toMatchObject({ kind: 'rate_limited' })
    const caller = new AbortController()
    const leaving = memory.open(4).grow(60, caller.signal)
    caller.abort(new Error('gone'))
    await expect(leaving).rejects.toThrow('gone')
  })

  test('at most 128 bodies of an account wait, and 256 of all: later ones are refused at once', async () => {
    const memory = memoryOf({ wait_ms: 60_000 })
    const callers = new AbortController()
    const waits: Promise<void>[] = []
    const queue = (account_id: number, count: number) => {
      for (let at = 0; at < count; at++)
        waits.push(Promise.resolve(memory.open(account_id).reserve(10, callers.signal)).catch(ignoreAbort))
    }
    for (const account_id of [1, 2]) expect(memory.open(account_id).grow(50, NEVER_ABORTED)).toBeUndefined()
    queue(1, 128)
    expect(() => memory.open(1).reserve(10, NEVER_ABORTED)).toThrow('Too many large requests')
    queue(2, 128)
    expect(() => memory.open(3).reserve(10, NEVER_ABORTED)).toThrow('Too many large requests')
    callers.abort(new Error('gone'))
    await Promise.all(waits)
    expect(memory.open(3).reserve(10, NEVER_ABORTED)).toBeInstanceOf(Promise)
  })

  test('at most 128 bodies of unknown length of an account are open, and 256 of all', () => {
    const memory = memoryOf()
    const [first] = Array.from({ length: 128 }, () => memory.open(1, false))
    expect(() => memory.open(1, false)).toThrow('Too many large requests')
    memory.open(1, true)
    for (let opened = 0; opened < 128; opened++) memory.open(2, false)
    expect(() => memory.open(3, false)).toThrow('Too many large requests')
    first?.release()
    memory.open(3, false)
  })
})
