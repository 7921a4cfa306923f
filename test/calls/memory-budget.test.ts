// The memory budget of large requests: its shares, its queue, and the time-out of the queue.
import { describe, expect, test } from 'bun:test'
import { createMemoryBudget } from '../../src/calls/bodies/memory-budget.ts'

const NEVER_ABORTED = new AbortController().signal

function budgetOf(limit_bytes: number, wait_ms = 10_000) {
  let reclaimed = 0
  const reclaim = () => {
    reclaimed += 1
  }
  return { budget: createMemoryBudget({ limit_bytes, wait_ms, reclaim }), reclaimed: () => reclaimed }
}

/** Whether a promise is settled by the end of this turn of the event loop. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  promise.then(
    () => {
      settled = true
    },
    () => {
      settled = true
    },
  )
  await new Promise((resolve) => setImmediate(resolve))
  return settled
}

describe('a budget', () => {
  test('grants requests at once while there is room', async () => {
    const { budget } = budgetOf(10)
    await Promise.all([budget.take(4, NEVER_ABORTED), budget.take(6, NEVER_ABORTED)])
    expect(await isSettled(budget.take(1, NEVER_ABORTED))).toBe(false)
  })

  test('lets in a request larger than itself, alone', async () => {
    const { budget } = budgetOf(10)
    const alone = await budget.take(100, NEVER_ABORTED)
    const next = budget.take(1, NEVER_ABORTED)
    expect(await isSettled(next)).toBe(false)
    alone.release()
    await next
  })

  test('serves the queue in order: a small request does not overtake a large one', async () => {
    const { budget } = budgetOf(10)
    const first = await budget.take(6, NEVER_ABORTED)
    const large = budget.take(8, NEVER_ABORTED)
    const small = budget.take(1, NEVER_ABORTED)
    expect([await isSettled(large), await isSettled(small)]).toEqual([false, false])
    first.release()
    await Promise.all([large, small])
  })

  test('lets the next request in when a share shrinks; nothing is freed twice', async () => {
    const { budget } = budgetOf(10)
    const share = await budget.take(10, NEVER_ABORTED)
    const next = budget.take(6, NEVER_ABORTED)
    share.shrink(4)
    share.shrink(9)
    await next
    share.release()
    share.release()
    await budget.take(4, NEVER_ABORTED)
    expect(await isSettled(budget.take(1, NEVER_ABORTED))).toBe(false)
  })

  test('refuses a request that waited too long with 429 and a time to retry, and serves the next', async () => {
    const { budget } = budgetOf(10, 30)
    const held = await budget.take(6, NEVER_ABORTED)
    const late = budget.take(8, NEVER_ABORTED)
    await expect(late).rejects.toMatchObject({ kind: 'rate_limited', retry_after_s: 5 })
    await budget.take(4, NEVER_ABORTED)
    held.release()
  })

  test('drops a disconnected caller from its queue', async () => {
    const { budget } = budgetOf(10)
    const held = await budget.take(6, NEVER_ABORTED)
    const leaving = new AbortController()
    const abandoned = budget.take(8, leaving.signal)
    const behind = budget.take(4, NEVER_ABORTED)
    leaving.abort(new Error('gone'))
    await expect(abandoned).rejects.toThrow('gone')
    await behind
    held.release()
    await expect(budget.take(1, leaving.signal)).rejects.toThrow('gone')
  })

  test('reclaims memory after a large share is freed, before the next request is let in', async () => {
    const { budget, reclaimed } = budgetOf(1024 ** 3)
    const small = await budget.take(1024, NEVER_ABORTED)
    small.release()
    expect(reclaimed()).toBe(0)
    const large = await budget.take(200 * 1024 * 1024, NEVER_ABORTED)
    large.shrink(100 * 1024 * 1024)
    large.release()
    expect(reclaimed()).toBe(2)
  })
})
