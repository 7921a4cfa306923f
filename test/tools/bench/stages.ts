// `--stages`: the same small call with one of its stages left out at a time.
import { join } from 'node:path'
import type { Bench } from './contest.ts'
import type { Effort } from './effort.ts'
import { cpuMicrosPerCall, type Load, loadOn, measure } from './measure.ts'
import { start, untilListening } from './processes.ts'
import { nowMs } from './recording.ts'
import { alignedText, median } from './report.ts'
import { WHOLE_REQUEST } from './requests.ts'
import { type DataFolder, makeDataFolder, OWN_CHECKOUT, type Subject, sourceOf } from './subjects.ts'

/** The stages that can be left out, by options and parts of the gateway; the first leaves nothing out. */
const STAGES = [
  'nothing left out',
  'the network: an upstream in the process',
  'the ledger: it grants and forgets',
  'the log',
  'the gate and the limits',
  "the place among calls, the caller's signal",
  'the time-outs',
  'abort controllers',
  'JSON.parse',
] as const
export type StageName = (typeof STAGES)[number]

const PROGRAM = join(import.meta.dir, 'staged-gateway.ts')
const CONNECTIONS = 16
const CALLS = 8_000

/**
 * A table with the cost of a call without each stage, and the saving in the same round. The savings do not add up: stages share the
 * content of the caches, and garbage is collected for all of them.
 */
export async function stagesTable({ upstream, effort }: Bench): Promise<string> {
  const load: Load = {
    request: WHOLE_REQUEST,
    connections: CONNECTIONS,
    calls: Math.ceil(CALLS * effort.share),
  }
  const whole = await startStaged(upstream.port, 'nothing left out')
  const lines: string[][] = []
  try {
    await loadOn(whole.subject, { ...load, calls: effort.warm_up.calls })
    for (const stage of STAGES) lines.push(await lineOf(stage, whole.subject, upstream.port, load, effort))
  } finally {
    await whole.stop()
  }
  return alignedText([['left out', 'us a call', 'saved', 'of all'], ...lines], new Set([0]))
}

async function lineOf(
  stage: StageName,
  whole: Subject,
  upstream_port: number,
  load: Load,
  { rounds, warm_up }: Effort,
): Promise<string[]> {
  const without = await startStaged(upstream_port, stage)
  try {
    await loadOn(without.subject, { ...load, calls: warm_up.calls })
    const costs_us: number[] = []
    const shares: number[] = []
    const saved_us: number[] = []
    for (let round = 0; round < rounds; round++) {
      const all_us = cpuMicrosPerCall(await measure(whole, load))
      const rest_us = cpuMicrosPerCall(await measure(without.subject, load))
      costs_us.push(rest_us)
      saved_us.push(all_us - rest_us)
      shares.push((all_us - rest_us) / all_us)
    }
    const share = `${(100 * median(shares)).toFixed(0)} %`
    return [stage, median(costs_us).toFixed(1), median(saved_us).toFixed(1), share]
  } finally {
    await without.stop()
  }
}

async function startStaged(upstream_port: number, stage: StageName) {
  const data: DataFolder = await makeDataFolder(sourceOf(OWN_CHECKOUT), upstream_port)
  const process = start(['bun', PROGRAM, data.path, stage], { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' })
  await untilListening(data.port, nowMs(), '/healthz')
  const subject: Subject = { name: stage, port: data.port, api_key: data.api_key, process }
  return {
    subject,
    async stop() {
      await process.stop()
      data.remove()
    },
  }
}
