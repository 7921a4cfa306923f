// Deadlines: each is called in its time, and all of them share one timer.
import { describe, expect, test } from 'bun:test'
import { type Deadline, Deadlines } from '../../src/utilities/deadlines.ts'

/** Deadlines by a manual clock, with records of the started timers and the called deadlines. */
function scene() {
  let now_ms = 1_000
  let timer: { rings_ms: number; ring: () => void } | undefined
  let keeps_alive = false
  const delays_ms: number[] = []
  const called: string[] = []
  const deadlines = new Deadlines({
    now: () => now_ms,
    startTimer(ring, delay_ms) {
      expect(timer).toBeUndefined()
      delays_ms.push(delay_ms)
      timer = { rings_ms: now_ms + delay_ms, ring }
      keeps_alive = true
      return {
        ref: () => (keeps_alive = true),
        unref: () => (keeps_alive = false),
        close: () => (timer = undefined),
      }
    },
  })
  return {
    deadlines,
    delays_ms,
    called,
    named: (name: string, act?: () => void): Deadline => ({
      onDue() {
        called.push(name)
        act?.()
      },
    }),
    /** Moves the clock, and fires the timers on the way. */
    pass(passed_ms: number) {
      const until_ms = now_ms + passed_ms
      while (timer && timer.rings_ms <= until_ms) {
        const { rings_ms, ring } = timer
        now_ms = rings_ms
        timer = undefined
        ring()
      }
      now_ms = until_ms
    },
    /** Fires too early, as the runtime's timers may by a fraction of a millisecond. */
    ringEarly(at_ms: number) {
      const ring = timer?.ring
      now_ms += at_ms
      timer = undefined
      ring?.()
    },
    isAlive: () => timer !== undefined && keeps_alive,
  }
}

describe('deadlines', () => {
  test('are called when their time is up, not before, and once', () => {
    const { deadlines, named, called, pass } = scene()
    deadlines.set(named('late'), 80)
    deadlines.set(named('early'), 50)
    pass(49)
    expect(called).toEqual([])
    pass(1)
    expect(called).toEqual(['early'])
    pass(29)
    expect(called).toEqual(['early'])
    pass(1_000)
    expect(called).toEqual(['early', 'late'])
  })

  test('that are met are not called, and share one timer', () => {
    const { deadlines, named, called, pass, delays_ms } = scene()
    for (let call = 0; call < 100; call++) {
      const met = named('met')
      deadlines.set(met, 500)
      pass(1)
      deadlines.clear(met)
    }
    expect(delays_ms).toEqual([500])
    pass(10_000)
    expect([called, delays_ms]).toEqual([[], [500]])
  })

  test('start a new timer only for an earlier one; after it fires, for the earliest of the rest', () => {
    const { deadlines, named, pass, delays_ms } = scene()
    for (const delay_ms of [50, 70, 60, 20]) deadlines.set(named(`${delay_ms}`), delay_ms)
    expect(delays_ms).toEqual([50, 20])
    pass(20)
    expect(delays_ms).toEqual([50, 20, 30])
  })

  test.each([
    ['later', 30, 100, [], ['again']],
    ['earlier', 90, 20, ['again'], ['again']],
  ])('count from the last time that they are set: %s', (_, first_ms, second_ms, at_once, in_the_end) => {
    const { deadlines, named, called, pass } = scene()
    const again = named('again')
    deadlines.set(again, first_ms)
    pass(10)
    deadlines.set(again, second_ms)
    pass(20)
    expect(called).toEqual(at_once)
    pass(1_000)
    expect(called).toEqual(in_the_end)
  })

  test('are not called early if their timer fires early', () => {
    const { deadlines, named, called, pass, ringEarly, delays_ms } = scene()
    deadlines.set(named('exact'), 50)
    ringEarly(49.5)
    expect([called, delays_ms]).toEqual([[], [50, 1]])
    pass(1)
    expect(called).toEqual(['exact'])
  })

  test('may set and clear others when called, even if those are due, too', () => {
    const { deadlines, named, called, pass } = scene()
    const cleared = named('cleared')
    const first = named('first', () => {
      deadlines.clear(cleared)
      deadlines.set(named('set by the first'), 10)
    })
    deadlines.set(first, 50)
    deadlines.set(cleared, 50)
    pass(50)
    expect(called).toEqual(['first'])
    pass(10)
    expect(called).toEqual(['first', 'set by the first'])
  })

  test('keep the process alive as long as one is set', () => {
    const { deadlines, named, isAlive, pass } = scene()
    const [one, other] = [named('one'), named('other')]
    const alive = [isAlive()]
    for (const step of [
      () => deadlines.set(one, 50),
      () => deadlines.set(other, 60),
      () => deadlines.clear(one),
      () => deadlines.clear(other),
      () => deadlines.set(one, 70),
      () => pass(70),
    ]) {
      step()
      alive.push(isAlive())
    }
    expect(alive).toEqual([false, true, true, true, false, true, false])
  })
})

test('a deadline is called by the runtime’s own clock', async () => {
  const started_ms = performance.now()
  const { promise, resolve } = Promise.withResolvers<number>()
  new Deadlines().set({ onDue: () => resolve(performance.now() - started_ms) }, 20)
  expect(await promise).toBeGreaterThanOrEqual(20)
})
