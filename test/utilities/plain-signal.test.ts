// A plain signal: its listeners, its reason, and its form as a signal of the runtime.
import { describe, expect, test } from 'bun:test'
import { PlainSignal } from '../../src/utilities/plain-signal.ts'

const REASON = new Error('the gateway stops')

/** A signal with two listeners, and a record of their notices. */
function scene() {
  const signal = new PlainSignal()
  const notices: string[] = []
  const listener = (name: string) => ({ onAbort: () => void notices.push(`${name}: ${signal.reason}`) })
  const [one, other] = [listener('one'), listener('other')]
  signal.listen(one)
  signal.listen(other)
  return { signal, notices, listener, one, other }
}

describe('a plain signal', () => {
  test('notifies all listeners once, in their order, with the first reason', () => {
    const { signal, notices } = scene()
    expect([signal.aborted, signal.reason]).toEqual([false, undefined])
    signal.abort(REASON)
    signal.abort()
    expect([signal.aborted, signal.reason]).toEqual([true, REASON])
    expect(notices).toEqual([`one: ${REASON}`, `other: ${REASON}`])
  })

  test('does not notify a listener that was removed or comes too late', () => {
    const { signal, notices, one, listener } = scene()
    signal.forget(one)
    signal.abort()
    signal.listen(listener('late'))
    expect(notices).toEqual(['other: undefined'])
  })

  test('does not notify a listener that another listener removes', () => {
    const signal = new PlainSignal()
    const notices: string[] = []
    const other = { onAbort: () => void notices.push('other') }
    signal.listen({ onAbort: () => signal.forget(other) })
    signal.listen(other)
    signal.abort()
    expect(notices).toEqual([])
  })
})

describe("the runtime's own signal", () => {
  test.each([
    ['requested before', false],
    ['requested after', true],
  ])('is aborted with the same reason, %s', (_, is_late) => {
    const { signal } = scene()
    if (!is_late) expect(signal.signal.aborted).toBe(false)
    signal.abort(REASON)
    expect([signal.signal.aborted, signal.signal.reason]).toEqual([true, REASON])
  })

  test('has the runtime’s reason in place of none, and is always the same object', () => {
    const { signal } = scene()
    const own = signal.signal
    signal.abort()
    expect(signal.signal).toBe(own)
    expect(own.reason).toMatchObject({ name: 'AbortError' })
  })
})
