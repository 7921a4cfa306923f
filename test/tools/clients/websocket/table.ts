// The table of Codex over each transport: the cases, the outcomes of their calls, and their costs over each transport.
import type { Outcome } from './cases.ts'
import { TRANSPORTS, type Transport } from './codex.ts'

export interface Row {
  readonly title: string
  readonly outcomes: Readonly<Partial<Record<Transport, Outcome>>>
  /** The faults; empty if all were served, and charged the same. */
  readonly wrong: readonly string[]
}

/** The cost of all calls in nano-dollars. */
export const costOf = (outcome: Outcome | undefined): number =>
  outcome?.calls.reduce((sum, { cost_nanos }) => sum + cost_nanos, 0) ?? 0

function callsOf(outcome: Outcome | undefined): string {
  const counted = Map.groupBy(outcome?.calls ?? [], (call) => call.outcome)
  return [...counted].map(([name, calls]) => `${calls.length} ${name}`).join(', ') || 'none'
}

/** @param version of Codex @param day such as 2026-11-24 */
export const websocketTableOf = (rows: readonly Row[], version: string, day: string): string =>
  [
    `Last tested on ${day} with Codex ${version}:`,
    '',
    '| what happens | calls | nano-dollars by POST | by POST in zstd | over a WebSocket | served |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map(({ title, outcomes, wrong }) => {
      const costs = TRANSPORTS.map((transport) => costOf(outcomes[transport]))
      const served = wrong.length === 0 ? 'yes' : '**no**'
      return `| ${[title, callsOf(outcomes.WebSocket), ...costs, served].join(' | ')} |`
    }),
  ].join('\n')
