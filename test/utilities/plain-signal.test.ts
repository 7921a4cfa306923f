// A plain signal: what it tells, to whom, and as the runtime's own.
import { describe, expect, test } from 'bun:test'
import { PlainSignal } from '../../src/utilities/plain-signal.ts'

const REASON = new Error('the gateway stops')

/** A signal with two listeners, and what they were told. */
function scene() {
  const signal = new PlainSignal()
  const told: string[] = []
  const listener = (name: string) => ({ onAbort: () => void told.push(`${name}: ${signal.reason}`) })
  const [one, other] = [listener('one'), listener('other')]
  signal.listen(one)
  signal.listen(other)
  return { signal, told, listener, one, other }
}

describe('a plain signal', () => {
  test('tells all that listen, once, in their order, with the first reason', () => {
    const { signal, told } = scene()
    expect([signal.aborted, signal.reason]).toEqual([false, undefined])
    signal.abort(REASON)
    signal.abort()
    expect([signal.aborted, signal.reason]).toEqual([true, REASON])
    expect(told).toEqual([`one: ${REASON}`, `other: ${REASON}`])
  })

  test('does not tell one that no longer listens, nor one that comes too late', () => {
    const { signal, told, one, listener } = scene()
    signal.forget(one)
    signal.abort()
    signal.listen(listener('late'))
    expect(told).toEqual(['other: undefined'])
  })

  test('does not tell one that another makes forget it', () => {
    const signal = new PlainSignal()
    const told: string[] = []
    const other = { onAbort: () => void told.push('other') }
    signal.listen({ onAbort: () => signal.forget(other) })
    signal.listen(other)
    signal.abort()
    expect(told).toEqual([])
  })
})

describe("as the runtime's own", () => {
  test.each([
    ['asked for before', false],
    ['asked for after', true],
  ])('it is aborted with the same reason: %s', (_, is_late) => {
    const { signal } = scene()
    if (!is_late) expect(signal.signal.aborted).toBe(false)
    signal.abort(REASON)
    expect([signal.signal.aborted, signal.signal.reason]).toEqual([true, REASON])
  })

  test('without a reason it has the runtime’s, and it is always the same signal', () => {
    const { signal } = scene()
    const own = signal.signal
    signal.abort()
    expect(signal.signal).toBe(own)
    expect(own.reason).toMatchObject({ name: 'AbortError' })
  })
})
