// LiteLLM opened from the text of a configuration, and the parts of its move-in that tests check.

import { type LitellmSource, openLitellm } from '../../../plugins/import/litellm/open.ts'
import type { IncomingModel, LeftOut, MoveIn } from '../../../plugins/import/move-in.ts'

const PRICES = await Bun.file(new URL('prices.json', import.meta.url)).text()

/** Prices of a small list; no database, no included files, no environment unless a test has them. */
export async function moveIn(config: string, more: Partial<LitellmSource> = {}): Promise<MoveIn> {
  await using source = await openLitellm({
    config,
    readIncluded: (path) => Promise.reject(new Error(`no file ${path}`)),
    env: {},
    prices: PRICES,
    tables: undefined,
    now_ms: Date.UTC(2026, 10, 29),
    ...more,
  })
  return await source.readMoveIn()
}

/** A configuration with one entry of `model_list`. @param params lines of litellm_params, YAML's flow style */
export const oneModel = (params: string, info = '{}', rest = ''): string =>
  `model_list:\n  - model_name: sold\n    litellm_params: {${params}}\n    model_info: ${info}\n${rest}`

/** Its only model, with its only provider. */
export function onlyModel({ models, providers, left_out }: MoveIn): {
  model: IncomingModel
  provider: MoveIn['providers'][number]
} {
  const [model, ...more] = models
  const [provider, ...others] = providers
  if (!model || !provider || more.length + others.length > 0)
    throw new Error(`not one model with one provider: ${JSON.stringify({ models, providers, left_out })}`)
  return { model, provider }
}

/** The reasons of rows that are left out, by kind. */
export const reasonsOf = ({ left_out }: MoveIn, kind: string): readonly string[] =>
  left_out.filter((each: LeftOut) => each.kind === kind).map(({ row, reason }) => `${row}: ${reason}`)
