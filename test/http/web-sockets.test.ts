// The registry of open WebSockets: the limits for opening one, the reasons for ending one, and exact counts.
import { expect, test } from 'bun:test'
import type { OpenSocket, SocketEnd } from '../../src/http/socket-memory.ts'
import { createWebSockets } from '../../src/http/web-sockets.ts'
import { eventually } from '../support/eventually.ts'

const MB = 1024 * 1024

function registry() {
  const at = { now_ms: 0, resident_mb: 100 }
  const sockets = createWebSockets({ now: () => at.now_ms, resident_bytes: () => at.resident_mb * MB })
  const add = (account_id: number, is_idle = true, was_abusive = false) => {
    const ends: SocketEnd[] = []
    const cuts: SocketEnd[] = []
    const looks = { count: 0 }
    const reading = { may: true }
    const socket: OpenSocket = {
      account_id,
      opened_at_ms: at.now_ms,
      is_idle,
      was_abusive,
      look: () => void looks.count++,
      mayRead: (may_read) => {
        reading.may = may_read
      },
      end: (why) => void ends.push(why),
      cut: (why) => void cuts.push(why),
    }
    sockets.add(socket)
    return { socket, ends, cuts, looks, reading }
  }
  return { at, sockets, add }
}

test('an account may have 128 sockets, all accounts together 768', () => {
  const { sockets, add } = registry()
  const first = add(1)
  for (let more = 1; more < 128; more++) add(1)
  expect(sockets.hasRoom(1)).toBe(false)
  sockets.remove(first.socket)
  sockets.remove(first.socket)
  expect(sockets.hasRoom(1)).toBe(true)
  for (let more = 0; sockets.size < 768; more++) add(2 + Math.floor(more / 200))
  expect(sockets.hasRoom(99)).toBe(false)
})

test('a socket ended for abuse counts for another minute', () => {
  const { at, sockets, add } = registry()
  const abusive = add(1, true, true)
  for (let more = 1; more < 128; more++) add(1)
  sockets.remove(abusive.socket)
  sockets.remove(abusive.socket)
  at.now_ms = 59_999
  expect(sockets.hasRoom(1)).toBe(false)
  at.now_ms = 60_000
  expect(sockets.hasRoom(1)).toBe(true)
  add(1)
  expect(sockets.hasRoom(1)).toBe(false)
})

test('sockets are ended after an hour, idle or busy', () => {
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

test('each tick checks the callers of all sockets', () => {
  const { sockets, add } = registry()
  const { looks } = add(1)
  sockets.tick()
  expect(looks.count).toBe(1)
})

test('a shortage of memory ends idle sockets, and again only after memory has grown further', () => {
  const { at, sockets, add } = registry()
  const idle = add(1)
  const busy = add(1, false)
  for (const [resident_mb, ended] of [
    [1_024, 0],
    [1_025, 1],
    [1_140, 1],
    [1_154, 2],
    [1_000, 2],
    [1_025, 3],
  ] as const) {
    at.resident_mb = resident_mb
    sockets.checkMemory()
    expect(idle.ends).toHaveLength(ended)
  }
  expect(busy.ends).toEqual([])
  expect(idle.ends[0]).toMatchObject({ code: 1013 })
})

test('a shortage of memory pauses sockets with calls and refuses new ones until it ends', async () => {
  const { at, sockets, add } = registry()
  const busy = Array.from({ length: 100 }, () => add(1, false))
  const readable = () => busy.filter(({ reading }) => reading.may).length
  at.resident_mb = 1_025
  sockets.checkMemory()
  expect([readable(), sockets.hasRoom(2)]).toEqual([0, false])
  at.resident_mb = 1_024
  sockets.checkMemory()
  expect(sockets.hasRoom(2)).toBe(true)
  await eventually('all are read again', () => readable() === busy.length)
})

test('a severe shortage of memory cuts off sockets with calls, the newest first', () => {
  const { at, sockets, add } = registry()
  const busy = Array.from({ length: 20 }, () => add(1, false))
  at.resident_mb = 1_152
  sockets.checkMemory()
  expect(busy.flatMap(({ cuts }) => cuts)).toEqual([])
  at.resident_mb = 1_281
  sockets.checkMemory()
  // 257 MB too much, with up to 16 MB for each socket.
  expect(busy.map(({ cuts }) => cuts.length)).toEqual([...Array(3).fill(0), ...Array(17).fill(1)])
  expect(busy[19]?.cuts[0]).toMatchObject({ code: 1013 })
})

test('a large message pauses all sockets, which resume one after another, the sender last', async () => {
  const { sockets, add } = registry()
  const [large, ...others] = Array.from({ length: 10 }, () => add(1))
  if (!large) throw new Error('none')
  sockets.sawMessage(large.socket, MB + 1)
  expect([large, ...others].some(({ reading }) => reading.may)).toBe(false)
  await eventually('one is read again', () => others.some(({ reading }) => reading.may))
  expect(large.reading.may).toBe(false)
  await eventually('all are read again', () => [large, ...others].every(({ reading }) => reading.may))
})

test('one turn of the event loop handles at most 1,000 messages, then pauses all sockets', async () => {
  const { sockets, add } = registry()
  const senders = [add(1), add(2)]
  const all = [...senders, ...Array.from({ length: 8 }, () => add(3))]
  const readable = () => all.filter(({ reading }) => reading.may).length
  const send = (of_each: number) => {
    for (const { socket } of senders)
      for (let sent = 0; sent < of_each; sent++) sockets.sawMessage(socket, 60)
  }
  for (let turn = 0; turn < 3; turn++) {
    send(499)
    expect(readable()).toBe(all.length)
    await new Promise(setImmediate)
  }
  send(500)
  expect(readable()).toBe(0)
  await eventually('all are read again', () => readable() === all.length)
})

test('a stop of the process ends all sockets', () => {
  const { sockets, add } = registry()
  const all = [add(1), add(2, false)]
  sockets.stop()
  all.push(add(3))
  expect(all.map(({ ends }) => ends[0]?.code)).toEqual([1012, 1012, 1012])
})
