// The memory of large bodies: who gets more of it, who waits, and that nobody takes all of it.
import { describe, expect, test } from 'bun:test'
import { createBodyMemory } from '../../src/calls/bodies/memory.ts'

const STAYS = new AbortController().signal
const memoryOf = ({ wait_ms = 10_000, reserved_ms = 10_000 } = {}) =>
  createBodyMemory({ limit_bytes: 100, account_limit_bytes: 50, wait_ms, reserved_ms })

describe('the memory of bodies', () => {
  test('who has sent nothing holds nothing', () => {
    const memory = memoryOf()
    for (let opened = 0; opened < 1_000; opened++) memory.open(1)
    expect(memory.open(2).grow(50, STAYS)).toBeUndefined()
  })

  test('one account cannot take all of it', async () => {
    const memory = memoryOf()
    const [first, second] = [memory.open(1), memory.open(1)]
    expect(first.grow(50, STAYS)).toBeUndefined()
    const waits = second.grow(10, STAYS)
    expect(waits).toBeInstanceOf(Promise)
    expect(memory.open(2).grow(50, STAYS)).toBeUndefined()
    first.release()
    await waits
  })

  test('of bodies that came half-way the oldest goes on, so that all end', async () => {
    const memory = memoryOf()
    const shares = Array.from({ length: 10 }, (_, account_id) => memory.open(account_id))
    for (const share of shares) expect(share.grow(10, STAYS)).toBeUndefined()
    const [oldest, ...others] = shares.map((share) => ({ share, more: share.grow(10, STAYS) }))
    expect(oldest?.more).toBeUndefined()
    for (const { more } of others) expect(more).toBeInstanceOf(Promise)
    let before = oldest
    for (const next of others) {
      before?.share.release()
      await next.more
      before = next
    }
  })

  test('what is reserved is taken, and no more is taken when it comes', async () => {
    const memory = memoryOf()
    const [first, second] = [memory.open(1), memory.open(1)]
    expect(first.reserve(50, STAYS)).toBeUndefined()
    const waits = second.reserve(50, STAYS)
    expect(waits).toBeInstanceOf(Promise)
    for (let part = 0; part < 5; part++) expect(first.grow(10, STAYS)).toBeUndefined()
    expect(memory.open(2).reserve(50, STAYS)).toBeUndefined()
    first.release()
    await waits
  })

  test('nobody reserves more than one account may take', () => {
    const memory = memoryOf()
    expect(memory.open(1).reserve(1_000, STAYS)).toBeUndefined()
    expect(memory.open(2).reserve(50, STAYS)).toBeUndefined()
  })

  test('what was reserved and has not come is given to others after a while', async () => {
    const memory = memoryOf({ reserved_ms: 5 })
    const slow = memory.open(1)
    expect([slow.reserve(50, STAYS), slow.grow(10, STAYS)]).toEqual([undefined, undefined])
    await memory.open(1).reserve(40, STAYS)
    // The slow one is the oldest: it goes on.
    expect(slow.grow(40, STAYS)).toBeUndefined()
  })

  test('a reservation of who left holds nothing', async () => {
    const memory = memoryOf({ reserved_ms: 5 })
    const left = memory.open(1)
    expect(left.reserve(50, STAYS)).toBeUndefined()
    left.release()
    const next = memory.open(1)
    expect(next.reserve(50, STAYS)).toBeUndefined()
    // Until the time of the first reservation is over: the second one still stands then, or is over, too.
    await memory.open(1).grow(50, STAYS)
    expect(memory.open(2).grow(50, STAYS)).toBeUndefined()
  })

  test('who waits too long is refused, and who leaves waits no longer', async () => {
    const memory = memoryOf({ wait_ms: 5 })
    for (const account_id of [1, 2]) expect(memory.open(account_id).grow(50, STAYS)).toBeUndefined()
    const late = memory.open(3)
    await expect(late.grow(60, STAYS)).rejects.toMatchObject({ kind: 'rate_limited' })
    const left = new AbortController()
    const leaving = memory.open(4).grow(60, left.signal)
    left.abort(new Error('gone'))
    await expect(leaving).rejects.toThrow('gone')
  })
})
