// LiteLLM as the source of a move-in: its config.yaml, and optionally its database.
import { type LeftOut, type MoveIn, NO_VOUCHERS, type OpenSource } from '../move-in.ts'
import type { SourceTables } from '../source/rows.ts'
import { accountsOf, noteOtherRows } from './accounts.ts'
import { readChargedLines } from './charged-lines.ts'
import { type LitellmConfig, type ReadIncluded, readLitellmConfig } from './config.ts'
import { type Deployment, type Deployments, readDeployments, settingsOf } from './deployments.ts'
import { modelsInDailySums, type Payers, payersOf, readHistory } from './history.ts'
import { type KeyContext, keysOf } from './keys.ts'
import type { ModelNames } from './model-access.ts'
import { type Models, modelsOf } from './models.ts'
import { aliasesIn, expandWildcards, fallbacksIn } from './names.ts'
import { openPriceBook, type PriceBook } from './prices.ts'
import { placeDeployments } from './providers.ts'
import { unsupportedSettings } from './settings.ts'
import { type LitellmRows, readRows } from './tables.ts'
import { columnTexts, textsOf } from './values.ts'

export interface LitellmSource {
  /** The text of config.yaml. */
  readonly config: string
  readonly readIncluded: ReadIncluded
  /** The environment, for addresses and regions given as `os.environ/NAME`. Provider keys are not read from it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The text of LiteLLM's model_prices_and_context_window.json; undefined: only the configuration has prices. */
  readonly prices: string | undefined
  /** Undefined: no accounts, no keys, no history. */
  readonly tables: SourceTables | undefined
  readonly now_ms: number
}

/** The move-in, and the payers of the log's lines. */
interface Loaded {
  readonly move_in: MoveIn
  readonly payers: Payers | undefined
}

/**
 * Opens LiteLLM. The caller closes the tables by closing the source.
 *
 * @throws GatewayError invalid_request if the text is no configuration of LiteLLM, or no price list
 */
export async function openLitellm(source: LitellmSource): Promise<OpenSource> {
  const { tables } = source
  const config = await readLitellmConfig(source.config, source.readIncluded)
  const prices = openPriceBook(source.prices)
  const load = async (): Promise<Loaded> => {
    const rows = tables && (await readRows(tables))
    const used_models = tables ? await modelsInDailySums(tables) : []
    const catalogue = catalogueOf(config, { ...source, prices, named: namedModels(rows, used_models) })
    if (!rows) return { move_in: { ...catalogue.move_in, accounts: [] }, payers: undefined }
    const { accounts, left_out } = accountsWithKeys(rows, catalogue.names, source.now_ms)
    const move_in = { ...catalogue.move_in, accounts, left_out: [...catalogue.move_in.left_out, ...left_out] }
    return { move_in, payers: payersOf(rows) }
  }
  let loading: Promise<Loaded> | undefined
  const loaded = () => (loading ??= load())
  return {
    readMoveIn: async () => (await loaded()).move_in,
    async *readHistory() {
      const { payers } = await loaded()
      if (tables && payers) yield* readHistory(tables, payers)
    },
    async *readChargedLines(limit) {
      if (tables) yield* readChargedLines(tables, limit)
    },
    [Symbol.asyncDispose]: async () => {
      await tables?.[Symbol.asyncDispose]()
    },
  }
}

interface CatalogueParts extends Pick<LitellmSource, 'env'> {
  readonly prices: PriceBook
  /** Models that keys, teams, users, access groups and the daily sums name. */
  readonly named: readonly string[]
}

/** Returns providers and models, and the names in the keys' lists of models. */
function catalogueOf(config: LitellmConfig, { env, prices, named }: CatalogueParts) {
  const written = readDeployments(config)
  const expanded = expandWildcards(written.deployments, [...namedByConfig(config, written), ...named])
  const placing = placeDeployments(expanded.deployments, settingsOf(config, env), config.environment)
  const models = modelsOf(placing.placed, config, prices)
  const used = new Set(models.models.flatMap(({ routes }) => routes.map(({ provider }) => provider)))
  return {
    move_in: {
      source: 'litellm' as const,
      vouchers: NO_VOUCHERS,
      providers: placing.providers.filter(({ name }) => used.has(name)),
      models: models.models,
      left_out: [
        ...written.left_out,
        ...expanded.left_out,
        ...placing.left_out,
        ...models.left_out,
        ...unsupportedSettings(config, placing.placed),
      ],
    },
    names: modelNames(config, expanded.deployments, models),
  }
}

function namedByConfig(config: LitellmConfig, { deployments }: Deployments): readonly string[] {
  const fallbacks = fallbacksIn(config)
  return [...aliasesIn(config).values(), ...deployments.flatMap(({ name }) => fallbacks([name]))]
}

function namedModels(rows: LitellmRows | undefined, used: readonly string[]): readonly string[] {
  if (!rows) return []
  const owners = [
    ...rows.keys,
    ...rows.teams.values(),
    ...rows.users.values(),
    ...rows.access_groups.values(),
  ]
  return [
    ...owners.flatMap((row) => [...columnTexts(row.models), ...columnTexts(row.access_model_names)]),
    ...used,
  ]
}

/** Reads access groups from `model_info.access_groups`: https://docs.litellm.ai/docs/proxy/model_access_guide */
function modelNames(
  config: LitellmConfig,
  deployments: readonly Deployment[],
  { models }: Models,
): ModelNames {
  const known = new Set(models.map(({ id }) => id))
  const prefixes = Map.groupBy(
    deployments.filter(({ name }) => known.has(name)),
    ({ name }) => name,
  )
  const members = deployments.flatMap(({ name, info }) =>
    textsOf(info.access_groups).map((group) => ({ group, name })),
  )
  const groups = Map.groupBy(members, ({ group }) => group)
  return {
    models: new Map(models.map(({ id }) => [id, (prefixes.get(id) ?? []).map(({ prefix }) => prefix)])),
    aliases: aliasesIn(config),
    groups: new Map([...groups].map(([group, all]) => [group, [...new Set(all.map(({ name }) => name))]])),
  }
}

function accountsWithKeys(rows: LitellmRows, names: ModelNames, now_ms: number) {
  const left_out: LeftOut[] = []
  const context: KeyContext = { rows, names, now_ms, left_out }
  const accounts = accountsOf(keysOf(context), context)
  noteOtherRows(context)
  return { accounts, left_out }
}
