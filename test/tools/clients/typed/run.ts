// `bun run clients --typed`: every kind of answer, read by the types of strict clients, and the record of their demands.
import { startGatewayProcess } from '../../../support/gateway-process.ts'
import type { TrialOptions } from '../trial.ts'
import { collectAnswers, type TypedAnswer } from './answers.ts'
import { problemsOf, READERS } from './readers.ts'
import { demandsOf, variantsOf } from './recording.ts'
import { TYPED_CATALOGUE } from './requests.ts'

const RECORD = `${import.meta.dir}/demands.json`

/** An answer that a client cannot read, though it should. */
interface Unread {
  client: string
  type: string
  name: string
  problem: string
}

/**
 * OpenAI's own streams of legacy completions have null in every chunk but the last
 * (https://platform.openai.com/docs/api-reference/completions, the streamed example): types that forbid it cannot read OpenAI's either.
 */
const isOpenAIsOwn = ({ type, json }: TypedAnswer): boolean =>
  type === 'completion' && JSON.stringify(json).includes('"finish_reason":null')

/** @returns the unreadable answers; the record is written only if all were read */
export async function runTyped({ cache, stopped }: TrialOptions): Promise<Unread[]> {
  await using gateway = await startGatewayProcess(TYPED_CATALOGUE, { balance_usd: '10000' })
  const answers = await collectAnswers(gateway.url.origin, gateway.key)
  const variants = variantsOf(answers)
  const changed = variants.map(({ answer }) => answer)
  const unread: Unread[] = []
  const refused = new Set<(typeof variants)[number]>()
  for (const reader of READERS) {
    stopped.throwIfAborted()
    const installed = await reader.install(cache)
    for (const { line, problem } of await problemsOf(installed, answers)) {
      const answer = answers[line]
      if (!answer || isOpenAIsOwn(answer)) continue
      unread.push({ client: reader.name, type: answer.type, name: answer.name, problem })
    }
    const found = await problemsOf(installed, changed)
    for (const { line } of found) {
      const variant = variants[line]
      if (variant) refused.add(variant)
    }
    process.stderr.write(
      `${reader.name}: ${answers.length} answers, ${found.length} of ${variants.length} changed ones refused\n`,
    )
  }
  if (unread.length === 0)
    await Bun.write(RECORD, `${JSON.stringify(demandsOf([...refused], answers), null, 1)}\n`)
  return unread
}
