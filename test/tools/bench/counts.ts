// `--counts`: the objects and operations of a call of each kind, in one checkout's gateway or in two.
import { type CountedGateway, startCounted } from '../../guard/counted.ts'
import type { Counts } from '../../guard/counters.ts'
import { COUNTED_NAMES, countsOf, KINDS } from '../../guard/kinds.ts'
import type { Bench } from './contest.ts'
import { alignedText } from './report.ts'

/** A table with a line for each count and a column for each kind of call; with another checkout, one more column before each. */
export async function countsTable({ upstream, checkout, against }: Bench): Promise<string> {
  const checkouts = [against, checkout].filter((folder) => folder !== undefined)
  const counted: Counts[][] = []
  for (const folder of checkouts) {
    await using gateway = await startCounted(folder, upstream.port)
    counted.push(await countsOfAll(gateway))
  }
  const heads = KINDS.flatMap((kind) => (against === undefined ? [kind] : ['before', kind]))
  const rows = COUNTED_NAMES.map((name) => [
    name,
    ...KINDS.flatMap((_, kind) => counted.map((all) => (all[kind]?.[name] ?? 0).toFixed(1))),
  ])
  return alignedText([['', ...heads], ...rows], new Set([0]))
}

async function countsOfAll(gateway: CountedGateway): Promise<Counts[]> {
  const all: Counts[] = []
  for (const kind of KINDS) all.push(await countsOf(gateway, kind))
  return all
}
