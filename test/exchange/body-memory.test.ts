// The memory of large bodies: who gets more of it, who waits, and that nobody takes all of it.
import { describe, expect, test } from 'bun:test'
import { createBodyMemory } from '../../src/exchange/body-memory.ts'

const STAYS = new AbortController().signal
const memoryOf = (wait_ms = 10_000) =>
  createBodyMemory({ limit_bytes: 100, account_limit_bytes: 50, wait_ms })

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

  test('who waits too long is refused, and who leaves waits no longer', async () => {
    const memory = memoryOf(5)
    memory.open(1).grow(50, STAYS)
    memory.open(2).grow(50, STAYS)
    const late = memory.open(3)
    await expect(late.grow(60, STAYS)).rejects.toMatchObject({ kind: 'rate_limited' })
    const left = new AbortController()
    const leaving = memory.open(4).grow(60, left.signal)
    left.abort(new Error('gone'))
    await expect(leaving).rejects.toThrow('gone')
  })
})
