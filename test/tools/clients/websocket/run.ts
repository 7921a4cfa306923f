// Codex over each transport: every case with each of them, which must be served and charged the same.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endPrograms } from '../process.ts'
import { installedOf, type TrialOptions, wordsOf } from '../trial.ts'
import { CASES, type Case, type Outcome } from './cases.ts'
import { codexClient, TRANSPORTS, type Transport } from './codex.ts'
import { codexScene, type SceneOptions } from './scene.ts'
import { costOf, type Row } from './table.ts'

const FILES = 3

/** Installs Codex if it is missing, and runs all cases. @throws the reason of a stop or of a failed installation */
export async function runOverWebSocket({ cache, stopped }: TrialOptions): Promise<Row[]> {
  const installed = await installedOf(codexClient(), cache)
  if (typeof installed !== 'string') throw new Error(installed.wrong)
  process.once('exit', endPrograms)
  stopped.addEventListener('abort', endPrograms, { once: true })
  const rows: Row[] = []
  const work = await mkdtemp(join(tmpdir(), 'tollgate-client-'))
  for (const each of CASES) {
    const outcomes: Partial<Record<Transport, Outcome>> = {}
    const secrets = Array.from({ length: FILES }, () => `secret ${crypto.randomUUID()}`)
    for (const transport of TRANSPORTS) {
      outcomes[transport] = await outcomeOf(each, transport, { installed, work, secrets })
      stopped.throwIfAborted()
    }
    rows.push(rowOf(each, outcomes))
  }
  process.off('exit', endPrograms)
  await rm(work, { recursive: true, force: true })
  return rows
}

async function outcomeOf(
  each: Case,
  transport: Transport,
  options: Omit<SceneOptions, 'behaviour'>,
): Promise<Outcome> {
  try {
    await using scene = await codexScene(transport, { ...options, behaviour: each.behaviour })
    const wrong = await each.run(scene)
    const books = await scene.books()
    return { calls: books.calls, wrong: [...wrong, ...books.wrong] }
  } catch (thrown) {
    return { calls: [], wrong: [wordsOf(thrown)] }
  }
}

function rowOf({ title }: Case, outcomes: Partial<Record<Transport, Outcome>>): Row {
  const wrong = TRANSPORTS.flatMap(
    (transport) => outcomes[transport]?.wrong.map((each) => `${transport}: ${each}`) ?? [],
  )
  const costs = TRANSPORTS.map((transport) => costOf(outcomes[transport]))
  if (new Set(costs).size > 1) wrong.push(`nano-dollars by ${TRANSPORTS.join(', ')}: ${costs.join(', ')}`)
  return { title, outcomes, wrong }
}
