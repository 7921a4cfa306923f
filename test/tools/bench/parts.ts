// `--parts`: the CPU and memory that each part of the executable costs to load, at a start and at its first use.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildBinary, embedded, GATEWAY } from '../../../src/build/binary.ts'
import type { Bench } from './contest.ts'
import { run } from './processes.ts'
import { alignedText, medianOf } from './report.ts'
import { WHOLE_REQUEST } from './requests.ts'
import { makeDataFolder, OWN_CHECKOUT, sourceOf } from './subjects.ts'

const PROGRAM = join(import.meta.dir, 'parts-program.ts')
const RUNS_PER_ROUND = 3

/** A step's CPU time, of all threads, and the growth of the process. */
export interface StepCost {
  readonly name: string
  readonly cpu_ms: number
  readonly memory_mib: number
}

/** A table with a line for each part, without the parts that lines above have loaded; the medians of several processes. */
export async function partsTable({ upstream, effort }: Bench): Promise<string> {
  const data = await makeDataFolder(sourceOf(OWN_CHECKOUT), upstream.port)
  const outfile = join(data.path, 'parts')
  try {
    const entrypoints = [PROGRAM, ...GATEWAY.entrypoints.slice(1)]
    await buildBinary({ ...GATEWAY, entrypoints, outfile, embed: embedded(1, 1) })
    const { path, body } = WHOLE_REQUEST
    const runs: StepCost[][] = []
    for (let run_at = 0; run_at < effort.rounds * RUNS_PER_ROUND; run_at++)
      runs.push(stepsIn(await run([outfile, data.path, data.api_key, path, body])))
    return tableOf(runs)
  } finally {
    data.remove()
    rmSync(outfile, { force: true })
  }
}

const stepsIn = (lines: string): StepCost[] =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as StepCost)

function tableOf(runs: readonly StepCost[][]): string {
  const lines = (runs[0] ?? []).map(({ name }, step) => {
    const costs = runs.flatMap((steps) => steps[step] ?? [])
    return [
      name,
      medianOf(costs, ({ cpu_ms }) => cpu_ms).toFixed(1),
      medianOf(costs, ({ memory_mib }) => memory_mib).toFixed(1),
    ]
  })
  return alignedText([['', 'CPU ms', 'MiB'], ...lines], new Set([0]))
}
