// The afterSettle hooks: each plugin has a queue of call records, so that no call waits for a hook.
import type { HooksOfPlugin } from '../../src/calls/hooks/registered.ts'
import type { RecordedCall } from '../../src/calls/life/call.ts'
import { costOf } from '../../src/calls/settling/queue.ts'
import type { PostOperation, VoidOperation } from '../../src/money/ledger/operations.ts'
import type { Logger } from '../../src/observe/log.ts'
import type { PluginRecord } from '../../src/plugin-api.ts'
import { withinTime } from '../../src/utilities/time-limit.ts'

interface SettleQueue {
  /** Queues a record, or drops it if too many wait. Never throws. */
  add(record: PluginRecord): void
  /** Resolves when the queue is empty or the time limit is reached, which is logged. */
  drain(limit_ms: number): Promise<void>
}

interface QueueOptions {
  plugin: HooksOfPlugin
  log: Logger
  /** After this time a hook no longer occupies one of the MAX_AT_WORK places. */
  limit_ms?: number
  max_waiting?: number
}

const MAX_WAITING = 1_000
/** Records processed at once, so that a hook that waits for a slow receiver does not delay the next records. */
const MAX_AT_WORK = 8
const LIMIT_MS = 60_000
/** One in 1,000 dropped records is logged, because there may be hundreds a second. */
const LOGGED_DROPS = 1_000

export function createSettleQueue({
  plugin,
  log,
  limit_ms = LIMIT_MS,
  max_waiting = MAX_WAITING,
}: QueueOptions): SettleQueue {
  const { name, after, counts } = plugin
  const waiting: PluginRecord[] = []
  let at_work = 0
  let empty = Promise.withResolvers<void>()

  async function report(record: PluginRecord): Promise<void> {
    for (const hook of after) {
      try {
        await withinTime(limit_ms, () => hook(record))
      } catch (cause) {
        counts.failed_after += 1
        log.error({ request_id: record.request_id, plugin: name, cause }, 'a plugin failed after a call')
      }
    }
  }

  function next(): void {
    while (at_work < MAX_AT_WORK) {
      const record = waiting.shift()
      if (!record) break
      at_work += 1
      void report(record).then(() => {
        at_work -= 1
        counts.waiting -= 1
        counts.delivered += 1
        next()
      })
    }
    if (counts.waiting === 0) empty.resolve()
  }

  return {
    add(record) {
      if (waiting.length >= max_waiting) {
        if (counts.dropped % LOGGED_DROPS === 0)
          log.warn({ request_id: record.request_id, plugin: name, dropped: counts.dropped + 1 }, DROPPED)
        counts.dropped += 1
        return
      }
      waiting.push(record)
      counts.waiting += 1
      // In a later turn, so that synchronous work of the hook does not delay the settled call.
      setImmediate(next)
    },
    async drain(drain_limit_ms) {
      if (counts.waiting === 0) return
      empty = Promise.withResolvers()
      await Promise.race([empty.promise, Bun.sleep(drain_limit_ms)])
      if (counts.waiting > 0)
        log.warn(
          { plugin: name, left: counts.waiting },
          'the gateway is stopping before it reported all calls to a plugin',
        )
      waiting.length = 0
    },
  }
}

const DROPPED = 'a plugin is too slow: records of calls were dropped'

/** Converts a settled call into the record for plugins. */
export function recordOf(
  { caller: { account, key }, origin: { request_id, surface }, order }: RecordedCall,
  operation: PostOperation | VoidOperation,
): PluginRecord {
  const { call } = operation
  return Object.freeze({
    request_id,
    account: account.name,
    key: Object.freeze({ id: key.id, prefix: key.prefix, name: key.name }),
    surface,
    model: call.model,
    provider: call.provider,
    upstream_model: call.upstream_model,
    outcome: call.outcome,
    status: call.status,
    streamed: order.streams,
    usage: Object.freeze({
      input_tokens: call.input_tokens,
      input_audio_tokens: call.input_audio_tokens,
      cache_read_tokens: call.cache_read_tokens,
      cache_write_5m_tokens: call.cache_write_5m_tokens,
      cache_write_1h_tokens: call.cache_write_1h_tokens,
      output_tokens: call.output_tokens,
      thinking_tokens: call.thinking_tokens,
      output_image_tokens: call.output_image_tokens,
      images: call.images,
    }),
    estimated: call.estimated === 1,
    cost_nanos: costOf(operation),
    started_at_ms: call.started_at_ms,
    first_byte_ms: call.first_byte_ms,
    duration_ms: call.duration_ms,
  })
}
