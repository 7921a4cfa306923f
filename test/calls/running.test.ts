// Running calls: their deadlines, their sockets' time-outs, and the wait for them when the process stops.
import { describe, expect, spyOn, test } from 'bun:test'
import { RunningCalls, tickRegularly } from '../../src/calls/life/running.ts'
import { GatewayError } from '../../src/domain/errors.ts'
import type { Sockets } from '../../src/http/sockets.ts'

const STALLED_AFTER_MS = 60_000
const SOCKET_IDLE_TIMEOUT_S = 120
/** A quarter of it: see running.ts. */
const LIFTED_AFTER_MS = 30_000

/** Sockets that only record their time-outs. */
const socketsOf = (idle_timeouts_s: number[]): Sockets => ({
  requestIP: () => null,
  timeout: (_, timeout_s) => void idle_timeouts_s.push(timeout_s),
})

function scene() {
  let now_ms = 1_000_000
  const running = new RunningCalls({
    now: () => now_ms,
    stalledReaderTimeout: () => STALLED_AFTER_MS,
    socket_idle_timeout_s: SOCKET_IDLE_TIMEOUT_S,
  })
  const enter = () => {
    const caller = new AbortController()
    const idle_timeouts_s: number[] = []
    const request = new Request('http://gateway/', { signal: caller.signal })
    const call = running.enter({ request, sockets: () => socketsOf(idle_timeouts_s) })
    return { caller, call, idle_timeouts_s }
  }
  const pass = (ms: number) => {
    now_ms += ms
    running.tick()
  }
  return { running, enter, pass }
}

test('the ticks keep no process alive, and end', () => {
  const { running } = scene()
  using timers = spyOn(globalThis, 'setInterval')
  using ended = spyOn(globalThis, 'clearInterval')
  const stop = tickRegularly(running)
  const timer = timers.mock.results[0]?.value as ReturnType<typeof setInterval>
  expect(timer.hasRef()).toBe(false)
  stop()
  expect(ended.mock.calls).toEqual([[timer]])
})

test('a hold is under way from the moment its call has its id until the call is done', () => {
  const { running, enter } = scene()
  const [one, other] = [enter(), enter()]
  expect(running.isUnderWay(1)).toBe(false)
  one.call.hold_id = 1
  other.call.hold_id = 2
  one.call.done()
  expect([1, 2, 3].map((hold_id) => running.isUnderWay(hold_id))).toEqual([false, true, false])
})

describe('a caller', () => {
  test('who disconnects ends their own call, and no other', () => {
    const { enter } = scene()
    const [one, other] = [enter(), enter()]
    one.caller.abort()
    expect([one.call.gone.aborted, other.call.gone.aborted]).toEqual([true, false])
  })

  test('who disconnected before the call began is gone from the start', () => {
    const { running } = scene()
    const request = new Request('http://gateway/', { signal: AbortSignal.abort() })
    expect(running.enter({ request, sockets: () => null }).gone.aborted).toBe(true)
  })

  test('who disconnects after the call is done changes nothing', () => {
    const { enter } = scene()
    const { caller, call } = enter()
    call.done()
    caller.abort()
    expect(call.gone.aborted).toBe(false)
  })

  test('who reads nothing for longer than the time-out counts as gone', () => {
    const { enter, pass } = scene()
    const { call } = enter()
    call.progressed('caller')
    pass(STALLED_AFTER_MS)
    expect(call.gone.aborted).toBe(false)
    pass(1)
    expect(call.gone.aborted).toBe(true)
  })

  test('who reads a little now and then does not count as gone', () => {
    const { enter, pass } = scene()
    const { call } = enter()
    for (let n = 0; n < 5; n++) {
      call.progressed('caller')
      pass(STALLED_AFTER_MS - 1)
    }
    expect(call.gone.aborted).toBe(false)
  })

  test('may wait for the upstream longer than the time-out', () => {
    const { enter, pass } = scene()
    const { call } = enter()
    call.progressed('upstream')
    pass(3_600_000)
    expect(call.gone.aborted).toBe(false)
  })
})

describe('an upstream', () => {
  const watched = () => {
    const { enter, pass } = scene()
    const { call } = enter()
    let aborted = 0
    call.progressed('upstream')
    call.watchSilence(5_000, () => aborted++)
    return { call, pass, aborted: () => aborted > 0 }
  }

  test('that is silent inside an answer for too long is aborted', () => {
    const { pass, aborted } = watched()
    pass(5_000)
    expect(aborted()).toBe(false)
    pass(1)
    expect(aborted()).toBe(true)
  })

  test('is not counted as silent while the caller is reading', () => {
    const { call, pass, aborted } = watched()
    call.progressed('caller')
    pass(50_000)
    expect(aborted()).toBe(false)
  })

  test('has the whole time-out again after each step forward', () => {
    const { call, pass, aborted } = watched()
    for (let n = 0; n < 5; n++) {
      pass(4_999)
      call.progressed('upstream')
    }
    expect(aborted()).toBe(false)
  })

  test('is not watched after the call is done', () => {
    const { call, pass, aborted } = watched()
    call.done()
    pass(1_000_000)
    expect(aborted()).toBe(false)
  })
})

describe('"no connection that goes quiet during a long upstream wait is cut"', () => {
  test('the idle time-out of a socket is lifted during a long call, and restored at its end', () => {
    const { enter, pass } = scene()
    const { call, idle_timeouts_s } = enter()
    call.progressed('upstream')
    pass(LIFTED_AFTER_MS)
    expect(idle_timeouts_s).toEqual([])
    pass(1)
    pass(1_000)
    expect(idle_timeouts_s).toEqual([0])
    call.done()
    expect(idle_timeouts_s).toEqual([0, SOCKET_IDLE_TIMEOUT_S])
  })

  test('the idle time-out of a short call is never touched', () => {
    const { enter, pass } = scene()
    const { call, idle_timeouts_s } = enter()
    call.progressed('upstream')
    pass(LIFTED_AFTER_MS)
    call.done()
    pass(1_000_000)
    expect(idle_timeouts_s).toEqual([])
  })

  test('a stalled upload is cut all the same', () => {
    const { enter, pass } = scene()
    const { idle_timeouts_s } = enter()
    pass(1_000_000)
    expect(idle_timeouts_s).toEqual([])
  })
})

test('if more than 100 callers read nothing for 5 seconds, those idle the longest are cut', () => {
  const { enter, pass } = scene()
  const calls = Array.from({ length: 103 }, () => {
    const { call } = enter()
    call.progressed('caller')
    pass(10)
    return call
  })
  const cut = () => calls.flatMap(({ gone }, index) => (gone.aborted ? [index] : []))
  calls[0]?.progressed('upstream')
  pass(4_500)
  expect(cut()).toEqual([])
  pass(1_000)
  expect(cut()).toEqual([1, 2])
})

describe('stopping', () => {
  test('is done at once if no call is running', async () => {
    const { running } = scene()
    await running.stop(60_000)
    expect([running.stopping, running.size]).toEqual([true, 0])
  })

  test('waits for running calls, and aborts none that finishes in time', async () => {
    const { running, enter } = scene()
    const [one, other] = [enter(), enter()]
    let stopped = false
    const stopping = running.stop(60_000).then(() => {
      stopped = true
    })
    expect(running.stopping).toBe(true)
    one.call.done()
    await new Promise((resolve) => setImmediate(resolve))
    expect([stopped, running.size]).toEqual([false, 1])
    other.call.done()
    await stopping
    expect([one.call.gone.aborted, other.call.gone.aborted]).toEqual([false, false])
  })

  test('aborts the remaining calls after its time-out, with a reason', async () => {
    const { running, enter } = scene()
    const { call } = enter()
    let upstream_aborted = false
    call.watchSilence(1_000, () => {
      upstream_aborted = true
    })
    call.gone.listen({ onAbort: () => call.done() })
    await running.stop(5)
    expect([call.gone.aborted, upstream_aborted, running.size]).toEqual([true, true, 0])
    expect(call.gone.reason).toBeInstanceOf(GatewayError)
    expect(call.gone.reason).toMatchObject({ kind: 'overloaded' })
  })
})

test('a second done() of a call changes nothing', () => {
  const { running, enter } = scene()
  const [one] = [enter(), enter()]
  one.call.done()
  one.call.done()
  expect(running.size).toBe(1)
})
