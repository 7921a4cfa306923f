// A change of prices by per cent as a draft of the catalogue: for the console and the command.
import type { Configuration } from '../../../src/catalogue/configuration.ts'
import { invalidRequest, notFound } from '../../../src/domain/errors.ts'
import { runInTurns } from '../../../src/utilities/end-of-turn.ts'
import { requireValid } from '../list/draft.ts'
import { changeFactor, PERCENT_MUST } from './percent.ts'
import { type ChangeChoice, type ChangePlan, planChange } from './plan.ts'

interface Order extends Omit<ChangeChoice, 'factor' | 'isModel'> {
  /** As the operator writes it: `10`, `-2.5`. */
  readonly percent: string
  /** Only these models; undefined: all models of the provider. */
  readonly models: readonly string[] | undefined
}

interface ChangeDraft extends Omit<ChangePlan, 'edits'> {
  /** Text of the catalogue with these prices, without keys. */
  text: string
  /** Hash of the file that the draft changes. */
  hash: string
  /** The number of changed prices and costs. */
  changes: number
}

/**
 * Drafts a change. Saves nothing.
 *
 * @throws GatewayError invalid_request for an invalid or too large percentage; not_found for an unknown provider or model
 */
export async function draftChange(
  configuration: Configuration,
  { provider, percent, target, models: ids }: Order,
): Promise<ChangeDraft> {
  const factor = changeFactor(percent)
  if (!factor) throw invalidRequest(`percent: must be ${PERCENT_MUST}.`, { param: 'percent' })
  const { text, values, hash } = requireValid(await configuration.read())
  const chosen = ids && new Set(ids)
  const isModel = (id: string) => chosen?.has(id) ?? true
  const { models, edits } = await runInTurns(planChange(values, { provider, isModel, factor, target }))
  const served = models.map(({ id }) => id)
  const unknown = ids?.find((id) => !served.includes(id))
  if (unknown !== undefined)
    throw notFound(
      `${provider} serves no model "${unknown}". Its models: ${served.join(', ') || 'none'}. Choose among these.`,
      { param: 'models' },
    )
  const drafted = await configuration.check({ text, edits })
  const [mistake] = drafted.mistakes
  if (mistake)
    throw invalidRequest(
      `percent: With it the catalogue has a mistake: ${mistake.path} ${mistake.message}. Choose a smaller one, or leave that model out.`,
      { param: 'percent' },
    )
  return { text: drafted.text, hash, changes: edits.length, models }
}
