// The attack of hostile messages over WebSockets: too large, broken, compressed, endless, without sense, and far too many.
import { deflateRawSync } from 'node:zlib'
import { catalogueOf, MODEL } from '../../support/catalogue.ts'
import { eventually } from '../../support/eventually.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { peakMemory } from '../../support/memory.ts'
import type { SocketClient } from '../../support/socket-client.ts'
import type { Attack } from './attack.ts'
import { watchHealth } from './health.ts'
import { connectWebSocket, createOf, frameOf } from './web-socket-client.ts'

const MEGABYTE = 1024 * 1024
const MAX_PEAK_MB = 700
const MAX_HEALTH_MS = 500
const CREATE = createOf({ model: MODEL, input: 'Why?', max_output_tokens: 16 })
const FLOOD = 1_000
const GARBAGE = 100_000
/** Leaves the attacker's own event loop free for its other sockets, and for those it watches with. */
const SENT_AT_ONCE = 200
const LOOK_MS = 200
const SOCKETS = 50
const LARGE_BYTES = 7 * MEGABYTE
const PING = { opcode: 9 }

interface Answers {
  answers: number
  text: string
}

interface Hostile {
  readonly title: string
  /** The number of sockets that send it. */
  readonly sockets: number
  /** Messages in bytes, sent one after another. */
  readonly sends: () => Iterable<Uint8Array>
  /** True if the gateway must end the connection; otherwise the answers that it must give. */
  readonly ends: true | Answers
  /** The number of its paid calls. */
  readonly calls?: number
}

function* many(count: number, bytes: Uint8Array): Generator<Uint8Array> {
  for (let sent = 0; sent < count; sent++) yield bytes
}

// Created before the measurements: this takes the process as long as an attack.
const BOMB = frameOf(deflateRawSync(Buffer.alloc(64 * MEGABYTE, 'x')), { is_compressed: true })
const LARGE = frameOf(createOf({ model: MODEL, input: 'x '.repeat(LARGE_BYTES / 2) }))
const fragment = (is_first: boolean) => {
  const frame = frameOf(Buffer.alloc(MEGABYTE, 'x'), { opcode: is_first ? 1 : 0 })
  frame[0] = is_first ? 1 : 0
  return frame
}

const HOSTILE: readonly Hostile[] = [
  { title: 'not JSON, without end', sockets: 5, sends: () => many(GARBAGE, frameOf('hello')), ends: true },
  {
    title: 'binary, without end',
    sockets: 5,
    sends: () => many(GARBAGE, frameOf('x', { opcode: 2 })),
    ends: true,
  },
  {
    title: 'unknown types, without end',
    sockets: 5,
    sends: () => many(GARBAGE, frameOf('{"type":"session.update"}')),
    ends: true,
  },
  {
    title: 'a frame of a byte too much',
    sockets: SOCKETS,
    sends: () => [frameOf('{', { declared_bytes: 16 * MEGABYTE + 1 })],
    ends: true,
  },
  {
    title: 'a frame of 4 EB',
    sockets: SOCKETS,
    sends: () => [frameOf('{', { declared_bytes: 2 ** 62 })],
    ends: true,
  },
  {
    title: 'a message in fragments without end',
    sockets: 10,
    *sends() {
      yield fragment(true)
      yield* many(40, fragment(false))
    },
    ends: true,
  },
  {
    title: 'compressed, 64 MB each',
    sockets: SOCKETS,
    sends: () => [BOMB],
    ends: true,
  },
  {
    title: 'frames without a mask',
    sockets: SOCKETS,
    sends: () => [frameOf(CREATE, { is_masked: false })],
    ends: true,
  },
  {
    title: 'pings',
    sockets: 5,
    sends: () => [...many(GARBAGE / 10, frameOf('x'.repeat(125), PING)), frameOf('{"type":"x"}')],
    ends: { answers: 1, text: '"type":"error"' },
  },
  {
    title: 'responses without end, on one socket',
    sockets: 1,
    sends: () => many(FLOOD, frameOf(CREATE)),
    ends: { answers: FLOOD, text: '"type":"response.incomplete"' },
    calls: FLOOD,
  },
  {
    title: 'two at once on each of many',
    sockets: SOCKETS,
    sends: () => many(2, frameOf(CREATE)),
    ends: { answers: 2, text: '"type":"response.incomplete"' },
    calls: 2 * SOCKETS,
  },
  {
    title: 'messages of 7 MB that are refused',
    sockets: 10,
    sends: () => many(6, LARGE),
    // The gateway ends a connection with much unpaid input in a row, after answers to the first messages.
    ends: true,
  },
]

/** @returns the faults */
async function attackWith(hostile: Hostile, gateway: GatewayProcess): Promise<string[]> {
  const { title, sockets, sends, ends, calls = 0 } = hostile
  const before = gateway.books().calls.length
  const attack = async (): Promise<boolean> => {
    const client = await connectWebSocket(gateway.url, gateway.key)
    let is_closed = false
    void client.closed.then(() => {
      is_closed = true
    })
    let sent = 0
    for (const bytes of sends()) {
      if (is_closed) break
      client.send(bytes)
      if (++sent % SENT_AT_ONCE === 0 || bytes.length > MEGABYTE / 2) await Bun.sleep(1)
    }
    const served = ends === true ? await endsInTime(client) : await answersAll(client, ends)
    client.leave('close')
    return served
  }
  const served = await Promise.all(Array.from({ length: sockets }, attack))
  await eventually('nothing is held', () => gateway.books().holds.every(({ state }) => state !== 'pending'))
  const findings = await gateway.findings()
  const recorded = gateway
    .books()
    .calls.slice(before)
    .filter(({ outcome }) => outcome === 'completed').length
  return [
    ...(served.every(Boolean)
      ? []
      : [`${title}: ${served.filter((each) => !each).length} not as they should`]),
    ...(recorded === calls ? [] : [`${title}: ${recorded} calls recorded, ${calls} made`]),
    ...(findings.length === 0 ? [] : [`${title}: the audit found ${findings.length}`]),
  ]
}

const PATIENCE_MS = 60_000

const endsInTime = ({ closed }: SocketClient): Promise<boolean> =>
  Promise.race([closed.then(() => true), Bun.sleep(PATIENCE_MS).then(() => false)])

async function answersAll({ received }: SocketClient, { answers, text }: Answers): Promise<boolean> {
  const until_ms = performance.now() + PATIENCE_MS
  while (performance.now() < until_ms) {
    if (received().split(text).length > answers) return true
    await Bun.sleep(LOOK_MS)
  }
  return false
}

export const socketMessages: Attack = {
  name: 'socket-messages',
  description: 'messages over WebSockets that are too large, broken, compressed, endless, or far too many',
  async run({ rounds }) {
    const server = '[limits]\nreads_per_minute = 100000'
    const catalogue = catalogueOf({ upstream_url: 'simulator', server })
    await using gateway = await startGatewayProcess(catalogue, { balance_usd: '1000' })
    const wrong: string[] = []
    let health_ms = 0
    let slowest = ''
    for (const hostile of Array<typeof HOSTILE>(rounds).fill(HOSTILE).flat()) {
      const health = watchHealth(gateway.url)
      wrong.push(...(await attackWith(hostile, gateway)))
      const longest_ms = Math.round(await health.stop())
      if (longest_ms > health_ms) slowest = hostile.title
      health_ms = Math.max(health_ms, longest_ms)
    }
    const peak_mb = await peakMemory(gateway.pid)
    const { calls } = gateway.books()
    return {
      tried: `${HOSTILE.length * rounds} kinds, ${HOSTILE.reduce((sum, { sockets }) => sum + sockets, 0) * rounds} sockets`,
      held: wrong.length === 0 && health_ms < MAX_HEALTH_MS && peak_mb < MAX_PEAK_MB,
      figures: [
        `${calls.length} calls paid, nothing held; healthz at most ${health_ms} ms (${slowest}), peak ${peak_mb} MB`,
        ...wrong,
      ].join('; '),
    }
  },
}
