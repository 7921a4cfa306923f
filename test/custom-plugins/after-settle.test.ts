// Hooks after settle: they get the record of every settled call, beside the calls, within bounds, and before the gateway ends.
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

/** Opens a scene whose hook collects the records of calls. */
async function recordingScene() {
  const records: PluginRecord[] = []
  settled.hook = (record) => records.push(record)
  return { records, ...(await scene({ own_plugins: { 'tell.ts': PLUGIN }, script: whole(answer()) })) }
}

describe('a record', () => {
  test('of a charged call has the caller, the models and the charge as stored, and is frozen', async () => {
    await using recording = await recordingScene()
    const { call, records, lastCall, gateway } = recording
    const response = await call(wholePath(), ask())
    const row = await lastCall()
    await eventually('the hook has run', () => records.length === 1)
    const [key] = gateway.rows().keys
    expect(records[0]).toEqual({
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
    expect(
      Object.isFrozen(records[0]) && Object.isFrozen(records[0]?.usage) && Object.isFrozen(records[0]?.key),
    ).toBe(true)
  })

  test('comes for a stream and for a failed call without a charge, but not for a call refused before its hold', async () => {
    await using recording = await recordingScene()
    const { call, records, upstream, gateway } = recording
    upstream.answer(events([answer()]))
    await (await call(streamPath(), ask())).text()
    upstream.answer(refusal(400, { error: { message: 'No.' } }))
    expect((await call(wholePath(), ask())).status).toBe(400)
    expect((await call(wholePath('no-such-model'), ask())).status).toBe(404)
    await gateway.rest()
    await eventually('both records came', () => records.length === 2)
    expect(records.map(({ streamed, outcome, cost_nanos }) => ({ streamed, outcome, cost_nanos }))).toEqual([
      { streamed: true, outcome: 'completed', cost_nanos: ANSWER_NANOS },
      { streamed: false, outcome: 'failed', cost_nanos: 0 },
    ])
  })
})

describe('no call is delayed', () => {
  test('or failed by a hook that throws, or by one that never ends', async () => {
    await using recording = await recordingScene()
    const { call, gateway } = recording
    settled.hook = () => {
      throw new Error('no disk')
    }
    expect((await call(wholePath(), ask())).status).toBe(200)
    await gateway.log.waitForLine(
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

  test('handles eight records at once, in the order of their calls, and drops records over the maximum', async () => {
    const started: string[] = []
    const release = Promise.withResolvers<void>()
    const { queue, counts, memory } = queueOf(
      async ({ request_id }) => {
        started.push(request_id)
        await release.promise
      },
      { max_waiting: 10 },
    )
    for (let at = 0; at < 8; at++) queue.add(record(`first-${at}`))
    await eventually('eight are worked on', () => started.length === 8)
    for (let at = 0; at < 15; at++) queue.add(record(`later-${at}`))
    expect(started).toHaveLength(8)
    expect({ waiting: counts.waiting, dropped: counts.dropped }).toEqual({ waiting: 18, dropped: 5 })
    expect(memory.lines()).toMatchObject([{ request_id: 'later-10', plugin: 'slow', dropped: 1 }])
    release.resolve()
    await queue.drain(10_000)
    expect(started.slice(8)).toEqual(Array.from({ length: 10 }, (_, at) => `later-${at}`))
    expect({ waiting: counts.waiting, delivered: counts.delivered }).toEqual({ waiting: 0, delivered: 18 })
  })

  test('logs a hook that exceeds its time, and goes on', async () => {
    let hook_runs = 0
    const { queue, counts, memory } = queueOf(
      () => {
        hook_runs += 1
        return new Promise(() => undefined)
      },
      { limit_ms: 20 },
    )
    for (let at = 0; at < 10; at++) queue.add(record(`r-${at}`))
    await queue.drain(10_000)
    expect({ hook_runs, failed: counts.failed_after, waiting: counts.waiting }).toEqual({
      hook_runs: 10,
      failed: 10,
      waiting: 0,
    })
    expect(memory.text()).toContain('it took longer than 0.02 s')
  })

  test('logs the number of records that are left when the time of a stop is over', async () => {
    const { queue, memory } = queueOf(() => new Promise(() => undefined))
    for (let at = 0; at < 12; at++) queue.add(record(`r-${at}`))
    await queue.drain(20)
    expect(memory.lines().at(-1)).toMatchObject({ level: 'warn', plugin: 'slow', left: 12 })
  })

  test('runs no hook in the turn of the call', () => {
    let has_run = false
    const { queue } = queueOf(() => {
      has_run = true
    })
    queue.add(record('r'))
    expect(has_run).toBe(false)
  })
})

test('the gateway waits for its last records when it stops', async () => {
  const recording = await recordingScene()
  const records: string[] = []
  settled.hook = async ({ request_id }) => {
    // A slow hook, which a gateway that does not wait for it would leave behind.
    await Bun.sleep(100)
    records.push(request_id)
  }
  await Promise.all(Array.from({ length: 20 }, () => recording.call(wholePath(), ask())))
  await recording[Symbol.asyncDispose]()
  expect(records).toHaveLength(20)
})
