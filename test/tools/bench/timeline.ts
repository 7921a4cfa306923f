// `--timeline`: the steps between the key of a streamed call and the departure of its request, with their times.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from './contest.ts'
import { loadOn } from './measure.ts'
import { start, untilListening } from './processes.ts'
import { nowMs } from './recording.ts'
import { alignedText, median } from './report.ts'
import { nativeStream } from './requests.ts'
import { makeDataFolder, OWN_CHECKOUT, sourceOf } from './subjects.ts'
import type { Timed } from './timed-gateway.ts'

const PROGRAM = join(import.meta.dir, 'timed-gateway.ts')

/** The steps in their order; a checkout that does not report one of them includes it in the next. */
const STEPS: readonly (readonly [point: string, does: string])[] = [
  ['admitted', 'key, limits, a place among the calls'],
  ['read', 'body, its facts and its model'],
  ['quoted', 'price, margin'],
  ['held', 'hold'],
  ['sent', 'record, route, the written request'],
  ['dispatched', 'first event of the answer'],
]

/** The first streams of a new process, and streams after many calls: one at a time, on an idle core. */
const LOADS = { cold: { connections: 4, warm_up: false }, warm: { connections: 40, warm_up: true } } as const
type Name = keyof typeof LOADS
const SPACED_MS = 60

/** A table: microseconds at each step, the median of all calls, and in all. */
export async function timelineTable({ upstream, effort, checkout, against }: Bench): Promise<string> {
  const subjects = [
    ...(against === undefined ? [] : [{ title: 'before', source: against }]),
    { title: 'gateway', source: checkout ?? OWN_CHECKOUT },
  ]
  const columns: { head: string; calls: Timed[] }[] = []
  for (const name of ['cold', 'warm'] as const)
    for (const { title, source } of subjects) {
      const calls: Timed[] = []
      for (let round = 0; round < effort.rounds; round++)
        calls.push(...(await timedCalls(source, name, upstream.port, effort.warm_up.streams)))
      columns.push({ head: `${title}, ${name}`, calls })
    }
  const lines = STEPS.map(([point, does], at) => [
    `${point}: ${does}`,
    ...columns.map(({ calls }) => text(median(calls.map((call) => stepUs(call, at))))),
  ])
  const departed = columns.map(({ calls }) => text(median(calls.map(({ sent = Number.NaN }) => sent))))
  return alignedText(
    [['us', ...columns.map(({ head }) => head)], ...lines, ['key to departure', ...departed]],
    new Set([0]),
  )
}

const text = (us: number): string => (Number.isNaN(us) ? '–' : us.toFixed(0))

/** The time of a step since the previous reported one; NaN if it was not reported. */
function stepUs(call: Timed, at: number): number {
  const points = STEPS.slice(0, at).flatMap(([point]) => call[point] ?? [])
  return (call[STEPS[at]?.[0] ?? ''] ?? Number.NaN) - (points.at(-1) ?? 0)
}

async function timedCalls(
  source: string,
  name: Name,
  upstream_port: number,
  warm_up_calls: number,
): Promise<Timed[]> {
  const { connections, warm_up } = LOADS[name]
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-timeline-'))
  const data = await makeDataFolder(sourceOf(source), upstream_port)
  const written_to = join(folder, 'calls.json')
  const process = start(['bun', PROGRAM, source, data.path, written_to], {
    BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
  })
  try {
    await untilListening(data.port, nowMs(), '/healthz')
    const subject = { name, port: data.port, api_key: data.api_key, process }
    const request = nativeStream({ events: 3, pace_ms: 1 })
    if (warm_up) await loadOn(subject, { request, connections: 16, calls: warm_up_calls })
    await loadOn(subject, { request, connections, calls: connections, ramp_ms: connections * SPACED_MS })
    await process.stop()
    return (JSON.parse(readFileSync(written_to, 'utf8')) as Timed[]).slice(-connections)
  } finally {
    await process.stop()
    data.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}
