// The settings of plans, [[plans.offered]].
import { type Static, Type } from '@sinclair/typebox'
import { Usd } from '../../src/catalogue/price-schema.ts'
import { readUsd } from '../../src/catalogue/prices.ts'
import { closed } from '../../src/catalogue/schema-parts.ts'
import { defineSection, type SectionContext } from '../../src/catalogue/sections.ts'
import type { TomlPath } from '../../src/catalogue/toml.ts'
import { BUDGET_PERIODS, type BudgetPeriod } from '../../src/domain/budgets.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { compileGlobs } from '../../src/utilities/glob.ts'

/** Field names of the limits by period. */
const LIMIT_FIELDS = {
  '5h': 'usd_per_5h',
  day: 'usd_per_day',
  week: 'usd_per_week',
  month: 'usd_per_month',
} as const satisfies Record<BudgetPeriod, string>

const PlanSchema = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
      must: 'a name of a-z, 0-9, _ and -, such as "pro"',
      description: 'its name; do not change it later: bought months refer to it',
    }),
    title: Type.Optional(
      Type.String({ minLength: 1, maxLength: 60, description: 'how accounts see it; its name by default' }),
    ),
    description: Type.Optional(
      Type.String({ minLength: 1, maxLength: 300, description: 'a sentence that helps accounts choose' }),
    ),
    price_usd: Usd('USD a month'),
    models: Type.Array(
      Type.String({
        pattern: '^[A-Za-z0-9*][A-Za-z0-9*._:/-]{0,127}$',
        must: 'a model id or a pattern such as "gpt-*"',
      }),
      {
        minItems: 1,
        maxItems: 200,
        description: 'the models that it covers: ids, or patterns such as "gpt-*"; ["*"] for all',
      },
    ),
    usd_per_5h: Type.Optional(Usd('USD of calls in any five hours that begin with a call')),
    usd_per_day: Type.Optional(Usd('USD of calls in a day (UTC)')),
    usd_per_week: Type.Optional(Usd('USD of calls in a week (UTC, from Monday)')),
    usd_per_month: Type.Optional(Usd('USD of calls in the month that is paid')),
    concurrent_calls: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'its calls that may run at once' }),
    ),
    overflow: Type.Boolean({
      default: true,
      description: 'whether the balance pays for calls that it does not cover; otherwise they are refused',
    }),
  },
  closed,
)

const PlansSchema = Type.Object(
  { offered: Type.Array(PlanSchema, { default: [], maxItems: 20, description: 'plans by their names' }) },
  closed,
)

export type PlanLimits = Partial<Record<BudgetPeriod, Nanos>>

/** A plan that accounts can buy. */
export interface Plan {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly price_nanos: Nanos
  readonly models: readonly string[]
  /** At the account’s price. */
  readonly limits: PlanLimits
  readonly concurrent_calls: number | null
  readonly overflow: boolean
}

type PlanText = Static<typeof PlanSchema>

function readPlans({ offered }: Static<typeof PlansSchema>, context: SectionContext): readonly Plan[] {
  return offered.map((text, index) => {
    const path: TomlPath = ['plans', 'offered', index]
    if (offered.findIndex(({ name }) => name === text.name) < index)
      context.report([...path, 'name'], `"${text.name}" is the name of another plan, too`)
    const limits: PlanLimits = {}
    for (const period of BUDGET_PERIODS) {
      const written = text[LIMIT_FIELDS[period]]
      if (written !== undefined)
        limits[period] = readUsd(written, [...path, LIMIT_FIELDS[period]], context.report)
    }
    if (Object.keys(limits).length === 0)
      context.report(
        path,
        `limits nothing: write ${Object.values(LIMIT_FIELDS).join(', ')}, or several of them`,
      )
    warnOfModels(text, path, context)
    return {
      name: text.name,
      title: text.title ?? text.name,
      description: text.description ?? '',
      price_nanos: readUsd(text.price_usd, [...path, 'price_usd'], context.report),
      models: text.models,
      limits,
      concurrent_calls: text.concurrent_calls ?? null,
      overflow: text.overflow,
    }
  })
}

/** Only warns of unknown models, since they may be added later. */
function warnOfModels({ models }: PlanText, path: TomlPath, { file, warn }: SectionContext): void {
  const list = Array.isArray(file.models) ? (file.models as { id?: unknown }[]) : []
  for (const [at, pattern] of models.entries()) {
    const matches = compileGlobs([pattern])
    if (!list.some(({ id }) => matches(String(id))))
      warn([...path, 'models', at], `no model is called, or matches, "${pattern}"`)
  }
}

export const planSettings = defineSection({ name: 'plans', schema: PlansSchema, read: readPlans })
