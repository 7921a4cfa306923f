// A price list as a draft of the catalogue: the required markup, and errors that prevent the draft.
import type { ConfigurationFile } from '../../../src/catalogue/configuration.ts'
import type { ExactDecimal } from '../../../src/catalogue/decimal.ts'
import { markupFactor } from '../../../src/catalogue/markup.ts'
import type { TomlTable } from '../../../src/catalogue/toml.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { conflict, invalidRequest } from '../../../src/domain/errors.ts'
import { priceSettings } from '../settings.ts'
import type { PricePlan } from './plan.ts'

/** The public list is smaller than two million bytes. */
export const MAX_LIST_BYTES = 32 * 1_048_576

/** The factor used while no markup is set: `requireMarkup` prevents saving prices at cost. */
export const AT_COST: ExactDecimal = { coefficient: 1n, exponent: 0 }

/** The catalogue's markup as a factor; undefined if not set. */
export function markupOf(catalogue: Catalogue): ExactDecimal | undefined {
  const { markup } = priceSettings.of(catalogue)
  return markup === undefined ? undefined : markupFactor(markup)
}

/** @throws GatewayError conflict if the file has mistakes: another process changed it after it was loaded */
export function requireValid({ text, values, mistakes, hash }: ConfigurationFile) {
  if (text === null || values === null || mistakes.length > 0)
    throw conflict('Somebody else is changing the catalogue. Nothing was written; try again.')
  return { text, values: values as TomlTable, hash }
}

/** Advice for an import by the command, which has options, and on the page. */
const ADVICE = {
  command: {
    markup:
      'Set `markup` in [catalogue] (20 earns 20 % on your costs), or add --markup 20% for this import; --markup 0% sells at cost.',
    mistake: 'Leave that model out with --model, or change its price by hand.',
  },
  page: {
    markup: 'Set it in Settings, Markup: 20 earns 20 % on your costs, 0 sells at cost.',
    mistake: 'Change the price of that model by hand, or take the model out of the list.',
  },
} as const
type ImportedAt = keyof typeof ADVICE

/** @throws GatewayError invalid_request if prices would change without a markup */
export function requireMarkup(
  { changes }: PricePlan,
  markup: ExactDecimal | undefined,
  at: ImportedAt,
): void {
  if (markup === undefined && changes.some(({ cost_of }) => !cost_of))
    throw invalidRequest(
      `Prices would change, and no markup is set. ${ADVICE[at].markup} Nothing was written.`,
      { param: 'markup' },
    )
}

export const badDraft = ({ path, message }: { path: string; message: string }, at: ImportedAt) =>
  invalidRequest(
    `With these prices the catalogue has a mistake: ${path} ${message}. ${ADVICE[at].mistake} Nothing was written.`,
  )
