// Hooks after settle: told of every settled call with its record, beside the calls, within bounds, and before the gateway ends.
import { describe, expect, test } from 'bun:test'
import { createSettleQueue } from '../../plugins/custom-plugins/settle-queue.ts'
import { noCounts } from '../../src/calls/hooks/registered.ts'
import type { AfterSettle, PluginRecord } from '../../src/plugin-api.ts'
import { MODEL, PROVIDER, UPSTREAM_MODEL } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { memoryLog } from '../support/memory-log.ts'
import { ANSWER_NANOS, answer, ask, streamPath, wholePath } from '../support/native.ts'
import { scene } from '../support/scene.ts'
import { events, refusal, whole } from '../support/upstream.ts'

const settled: { hook: AfterSettle } = { hook: () => undefined }
Object.assign(globalThis, { own_plugin_settled: settled })
const PLUGIN =
  'export default ({ gateway }) => gateway.afterSettle((record) => globalThis.own_plugin_settled.hook(record))'

/** Opens a scene whose calls are told to a list. */
async function toldScene() {
  const told: PluginRecord[] = []
  settled.hook = (record) => told.push(record)
  return { told, ...(await scene({ own_plugins: { 'tell.ts': PLUGIN }, script: whole(answer()) })) }
}

describe('what is told', () => {
  test('a charged call: who, what and how much, as it is recorded; frozen', async () => {
    await using told_scene = await toldScene()
    const { call, told, lastCall, gateway } = told_scene
    const response = await call(wholePath(), ask())
    const row = await lastCall()
    await eventually('the hook was told', () => told.length === 1)
    const [key] = gateway.rows().keys
    expect(told[0]).toEqual({
      request_id: response.headers.get('x-request-id') ?? '',
      account: gateway.rows().accounts[0]?.name ?? '',
      key: { id: key?.id ?? 0, prefix: key?.prefix ?? '', name: key?.name ?? '' },
      surface: 'native',
      model: MODEL,
      provider: PROVIDER,
      upstream_model: UPSTREAM_MODEL,
      outcome: 'completed',
      status: 200,
      streamed: false,
      usage: {
        input_tokens: 10,
        input_audio_tokens: 0,
        cache_read_tokens: 0,
        cache_write_5m_tokens: 0,
        cache_write_1h_tokens: 0,
        output_tokens: 5,
        thinking_tokens: 0,
        output_image_tokens: 0,
        images: 0,
      },
      estimated: false,
      cost_nanos: ANSWER_NANOS,
      started_at_ms: row.started_at_ms,
      first_byte_ms: row.first_byte_ms,
      duration_ms: row.duration_ms,
    })
    expect(Object.isFrozen(told[0]) && Object.isFrozen(told[0]?.usage) && Object.isFrozen(told[0]?.key)).toBe(
      true,
    )
  })

  test('a stream, and a call that failed at no cost; not one that was refused before its hold', async () => {
    await using told_scene = await toldScene()
    const { call, told, upstream, gateway } = told_scene
    upstream.answer(events([answer()]))
    await (await call(streamPath(), ask())).text()
    upstream.answer(refusal(400, { error: { message: 'No.' } }))
    expect((await call(wholePath(), ask())).status).toBe(400)
    expect((await call(wholePath('no-such-model'), ask())).status).toBe(404)
    await gateway.rest()
    await eventually('both were told', () => told.length === 2)
    expect(told.map(({ streamed, outcome, cost_nanos }) => ({ streamed, outcome, cost_nanos }))).toEqual([
      { streamed: true, outcome: 'completed', cost_nanos: ANSWER_NANOS },
      { streamed: false, outcome: 'failed', cost_nanos: 0 },
    ])
  })
})

describe('no call waits for it', () => {
  test('nor fails with it: a hook that throws, one that never ends', async () => {
    await using told_scene = await toldScene()
    const { call, gateway } = told_scene
    settled.hook = () => {
      throw new Error('no disk')
    }
    expect((await call(wholePath(), ask())).status).toBe(200)
    await gateway.log.shows(
      ({ message, plugin, cause }) =>
        message === 'a plugin failed after a call' &&
        plugin === 'tell' &&
        JSON.stringify(cause).includes('no disk'),
    )
    settled.hook = () => new Promise(() => undefined)
    for (let calls = 0; calls < 20; calls++) expect((await call(wholePath(), ask())).status).toBe(200)
    expect((await gateway.atRest()).calls).toHaveLength(21)
  }, 20_000)
})

describe('the queue', () => {
  const record = (request_id: string) => ({ request_id }) as PluginRecord
  function queueOf(hook: AfterSettle, more: { limit_ms?: number; max_waiting?: number } = {}) {
    const plugin = { name: 'slow', before: [], after: [hook], counts: noCounts() }
    const memory = memoryLog()
    return { queue: createSettleQueue({ plugin, log: memory.log, ...more }), counts: plugin.counts, memory }
  }

  test('works on eight at once, in the order in which calls were settled, and drops what is too much', async () => {
    const begun: string[] = []
    const release = Promise.withResolvers<void>()
    const { queue, counts, memory } = queueOf(
      async ({ request_id }) => {
        begun.push(request_id)
        await release.promise
      },
      { max_waiting: 10 },
    )
    for (let at = 0; at < 8; at++) queue.add(record(`first-${at}`))
    await eventually('eight are worked on', () => begun.length === 8)
    for (let at = 0; at < 15; at++) queue.add(record(`later-${at}`))
    expect(begun).toHaveLength(8)
    expect({ waiting: counts.waiting, dropped: counts.dropped }).toEqual({ waiting: 18, dropped: 5 })
    expect(memory.lines()).toMatchObject([{ request_id: 'later-10', plugin: 'slow', dropped: 1 }])
    release.resolve()
    await queue.drain(10_000)
    expect(begun.slice(8)).toEqual(Array.from({ length: 10 }, (_, at) => `later-${at}`))
    expect({ waiting: counts.waiting, delivered: counts.delivered }).toEqual({ waiting: 0, delivered: 18 })
  })

  test('a hook that takes longer than its time is logged, and no longer in the way', async () => {
    let asked = 0
    const { queue, counts, memory } = queueOf(
      () => {
        asked += 1
        return new Promise(() => undefined)
      },
      { limit_ms: 20 },
    )
    for (let at = 0; at < 10; at++) queue.add(record(`r-${at}`))
    await queue.drain(10_000)
    expect({ asked, failed: counts.failed_after, waiting: counts.waiting }).toEqual({
      asked: 10,
      failed: 10,
      waiting: 0,
    })
    expect(memory.text()).toContain('it took longer than 0.02 s')
  })

  test('when the gateway stops, what is left after the time for it is told in the log', async () => {
    const { queue, memory } = queueOf(() => new Promise(() => undefined))
    for (let at = 0; at < 12; at++) queue.add(record(`r-${at}`))
    await queue.drain(20)
    expect(memory.lines().at(-1)).toMatchObject({ level: 'warn', plugin: 'slow', left: 12 })
  })

  test('does nothing of a hook in the turn of the call', () => {
    let asked = false
    const { queue } = queueOf(() => {
      asked = true
    })
    queue.add(record('r'))
    expect(asked).toBe(false)
  })
})

test('the gateway waits for its last records when it stops', async () => {
  const told_scene = await toldScene()
  const told: string[] = []
  settled.hook = async ({ request_id }) => {
    // A slow hook, which a gateway that does not wait for it would leave behind.
    await Bun.sleep(100)
    told.push(request_id)
  }
  await Promise.all(Array.from({ length: 20 }, () => told_scene.call(wholePath(), ask())))
  await told_scene[Symbol.asyncDispose]()
  expect(told).toHaveLength(20)
})
