// The cases of Codex over each transport: a tool loop, an interrupted answer, and gateways that stop during a run.
import { eventually } from '../../../support/eventually.ts'
import { findLoopFaults } from '../loops/judge.ts'
import type { ProgramResult } from '../process.ts'
import type { CodexScene } from './scene.ts'

/** The outcome of a case over one transport. */
export interface Outcome {
  /** The outcome of each call, and its cost in nano-dollars. */
  readonly calls: readonly { outcome: string; cost_nanos: number }[]
  /** The faults; empty if it was served. */
  readonly wrong: readonly string[]
}

export interface Case {
  readonly title: string
  /** The model's behaviour, in the words of the simulator's names. */
  readonly behaviour: string
  /** Runs the case. @returns the faults, besides those of the books */
  run(scene: CodexScene): Promise<string[]>
}

const PACED = 'pace-100'
const STALLED_AFTER = 6
/** After this time without output the provider has stalled, and the gateway has read all that it sent. */
const STILL_MS = 1_000

export const CASES: readonly Case[] = [
  {
    title: 'three calls of a tool, and the answer',
    behaviour: 'calls-3',
    run: async (scene) => await loopWrong(scene),
  },
  {
    title: 'interrupted (Ctrl+C) in the midst of an answer',
    behaviour: `stall-${STALLED_AFTER}`,
    async run(scene) {
      await untilStalled(scene)
      scene.codex.interrupt()
      const { stdout } = await scene.codex.ended()
      const { calls } = await scene.books()
      return [
        ...(scene.secrets.some((secret) => stdout.includes(secret)) ? ['it went on'] : []),
        ...(calls.length === 1 && calls[0]?.outcome === 'cancelled' ? [] : ['not one call that was left']),
        ...(calls.every(({ cost_nanos }) => cost_nanos > 0) ? [] : ['the received part was free']),
      ]
    },
  },
  {
    title: 'the gateway stops in the midst of the answer',
    behaviour: `calls-0-${PACED}`,
    async run(scene) {
      await untilStarted(scene)
      const status = await scene.stopGateway()
      const { calls } = await scene.books()
      return [
        ...(status === 0 ? [] : [`the gateway ended with status ${status}`]),
        ...endWrong(await scene.codex.ended()),
        ...(calls.length === 1 && calls[0]?.outcome === 'completed'
          ? []
          : ['not one call that was completed']),
      ]
    },
  },
  {
    title: 'the gateway stops in a tool loop, and starts again',
    behaviour: `calls-3-${PACED}`,
    async run(scene) {
      await untilStarted(scene)
      const status = await scene.stopGateway()
      await scene.startGateway()
      return [
        ...(status === 0 ? [] : [`the gateway ended with status ${status}`]),
        ...(await loopWrong(scene)),
      ]
    },
  },
]

const untilStarted = ({ providers }: CodexScene) =>
  eventually('the answer has begun', () => providers.sent() > 0)

async function untilStalled(scene: CodexScene): Promise<void> {
  await untilStarted(scene)
  let sent = 0
  let since_ms = performance.now()
  await eventually('the provider sends nothing more', () => {
    const now = scene.providers.sent()
    if (now !== sent) since_ms = performance.now()
    sent = now
    return performance.now() - since_ms > STILL_MS
  })
}

const endWrong = ({ status, stdout, stderr }: ProgramResult): string[] =>
  status === 0 ? [] : [`Codex ended with status ${status}: ${stdout.slice(-500)} ${stderr.slice(-500)}`]

/** The faults of a loop, which must be served to its end and charged by the provider's counts. */
async function loopWrong({ model, secrets, providers, codex, books }: CodexScene): Promise<string[]> {
  const ended = await codex.ended()
  const { calls } = await books()
  const { exchanges } = providers
  const loop = { model, loses_signatures: false, secrets, ended, exchanges, calls, failures: [] }
  const found = findLoopFaults(loop)
  return found.length === 0 ? [] : [...found, ...endWrong(ended)]
}
