// The registry of open WebSockets: who may open one, what ends them, and that none is forgotten.
import { expect, test } from 'bun:test'
import { createWebSockets, type OpenSocket, type SocketEnd } from '../../src/http/web-sockets.ts'

const MB = 1024 * 1024

function registry() {
  const at = { now_ms: 0, resident_mb: 100 }
  const sockets = createWebSockets({ now: () => at.now_ms, resident_bytes: () => at.resident_mb * MB })
  const add = (account_id: number, is_idle = true, was_sent_away = false) => {
    const ends: SocketEnd[] = []
    const looks = { count: 0 }
    const socket: OpenSocket = {
      account_id,
      opened_at_ms: at.now_ms,
      is_idle,
      was_sent_away,
      look: () => void looks.count++,
      end: (why) => void ends.push(why),
    }
    sockets.add(socket)
    return { socket, ends, looks }
  }
  return { at, sockets, add }
}

test('an account has room for 128, all of them for 2,048', () => {
  const { sockets, add } = registry()
  const first = add(1)
  for (let more = 1; more < 128; more++) add(1)
  expect(sockets.hasRoom(1)).toBe(false)
  sockets.remove(first.socket)
  sockets.remove(first.socket)
  expect(sockets.hasRoom(1)).toBe(true)
  for (let more = 0; sockets.size < 2_048; more++) add(2 + Math.floor(more / 200))
  expect(sockets.hasRoom(99)).toBe(false)
})

test('the place of one that was sent away is taken for another minute', () => {
  const { at, sockets, add } = registry()
  const sent_away = add(1, true, true)
  for (let more = 1; more < 128; more++) add(1)
  sockets.remove(sent_away.socket)
  sockets.remove(sent_away.socket)
  at.now_ms = 59_999
  expect(sockets.hasRoom(1)).toBe(false)
  at.now_ms = 60_000
  expect(sockets.hasRoom(1)).toBe(true)
  add(1)
  expect(sockets.hasRoom(1)).toBe(false)
})

test('those that are an hour old are ended, whatever they do', () => {
  const { at, sockets, add } = registry()
  const old = [add(1), add(1, false)]
  at.now_ms = 3_599_999
  const young = add(1)
  sockets.tick()
  expect(old.flatMap(({ ends }) => ends)).toEqual([])
  at.now_ms = 3_600_000
  sockets.tick()
  expect(old.map(({ ends }) => ends[0]?.is_too_old)).toEqual([true, true])
  expect(young.ends).toEqual([])
})

test('at each tick it is looked at whether their callers are still there', () => {
  const { sockets, add } = registry()
  const { looks } = add(1)
  sockets.tick()
  expect(looks.count).toBe(1)
})

test('where memory is short the idle ones are ended, and again only once more is taken', () => {
  const { at, sockets, add } = registry()
  const idle = add(1)
  const busy = add(1, false)
  for (const [resident_mb, ended] of [
    [1_280, 0],
    [1_281, 1],
    [1_400, 1],
    [1_410, 2],
    [1_000, 2],
    [1_281, 3],
  ] as const) {
    at.resident_mb = resident_mb
    sockets.tick()
    expect(idle.ends).toHaveLength(ended)
  }
  expect(busy.ends).toEqual([])
  expect(idle.ends[0]).toMatchObject({ code: 1013 })
})

test('all are ended when the process stops', () => {
  const { sockets, add } = registry()
  const all = [add(1), add(2, false)]
  sockets.stop()
  all.push(add(3))
  expect(all.map(({ ends }) => ends[0]?.code)).toEqual([1012, 1012, 1012])
})
