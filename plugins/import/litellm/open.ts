// LiteLLM as the source of a move-in: its config.yaml, and its database where one is named.
import type { MoveIn, OpenSource } from '../move-in.ts'
import type { SourceTables } from '../source/rows.ts'
import { type ReadIncluded, readLitellmConfig } from './config.ts'
import { readDeployments, settingsOf } from './deployments.ts'
import { modelsOf } from './models.ts'
import { aliasesIn, expandWildcards, fallbacksIn } from './names.ts'
import { openPriceBook } from './prices.ts'
import { placeDeployments } from './providers.ts'
import { settingsLeftOut } from './settings.ts'

export interface LitellmSource {
  /** The text of config.yaml. */
  readonly config: string
  /** Reads a file of its `include`. */
  readonly readIncluded: ReadIncluded
  /** The environment, for addresses and regions that the configuration names by `os.environ/`. Keys are not read from it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The text of LiteLLM's model_prices_and_context_window.json; undefined: only the configuration has prices. */
  readonly prices: string | undefined
  /** Undefined: no accounts, no keys, no history. */
  readonly tables: SourceTables | undefined
  readonly now_ms: number
}

/**
 * Opens LiteLLM. The tables are closed with it.
 *
 * @throws GatewayError invalid_request for a text that is no configuration of LiteLLM, or no price list
 */
export async function openLitellm({ tables, ...source }: LitellmSource): Promise<OpenSource> {
  const config = await readLitellmConfig(source.config, source.readIncluded)
  const prices = openPriceBook(source.prices)
  const settings = settingsOf(config, source.env)
  const written = readDeployments(config)
  return {
    async readMoveIn(): Promise<MoveIn> {
      const names = [...aliasesIn(config).values()]
      const fallbacks = fallbacksIn(config)
      const targets = written.deployments.flatMap(({ name }) => fallbacks([name]))
      const expanded = expandWildcards(written.deployments, [...names, ...targets])
      const { placed, providers, left_out } = placeDeployments(
        expanded.deployments,
        settings,
        config.environment,
      )
      const models = modelsOf(placed, config, prices)
      const used = new Set(models.models.flatMap(({ routes }) => routes.map(({ provider }) => provider)))
      return {
        source: 'litellm',
        accounts: [],
        providers: providers.filter(({ name }) => used.has(name)),
        models: models.models,
        left_out: [
          ...written.left_out,
          ...expanded.left_out,
          ...left_out,
          ...models.left_out,
          ...settingsLeftOut(config, placed),
        ],
      }
    },
    async *readHistory() {},
    async *readChargedLines() {},
    [Symbol.asyncDispose]: async () => {
      await tables?.[Symbol.asyncDispose]()
    },
  }
}
