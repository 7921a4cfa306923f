// `prices change`: changes the prices of a provider's models by per cent, after the operator has seen each before and after.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Context, contextOf } from '../../../src/app/command-line/context.ts'
import { requireCatalogue } from '../../../src/app/command-line/data-folder.ts'
import type { Column } from '../../../src/app/command-line/table.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { configurationOf, savedWords } from '../../../src/app/commands/configuration.ts'
import { confirm, isYes } from '../../../src/app/commands/confirm.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import { percentText } from '../../../src/money/pricing/price-lines.ts'
import { counted } from '../../../src/utilities/counted.ts'
import { draftChange } from '../by-percent/draft.ts'
import { changeFactor } from '../by-percent/percent.ts'
import { type ChangedLine, type ChangedModel, TARGETS, type Target } from '../by-percent/plan.ts'
import { changedModelView } from '../by-percent/view.ts'

interface ChangeOptions {
  by: string
  target: Target
  model?: string[]
  dryRun?: boolean
  yes?: boolean
}

export function addPricesChange(prices: Command, deps: CliDeps): void {
  addExample(prices.command('change <provider>'), 'prices change acme --by 10%')
    .summary("Raise or lower the prices of a provider's models by per cent.")
    .description(
      'Change what callers pay for the models that a provider serves, what the provider charges, or both, by the same per cent. ' +
        'Every amount changes: caches, tiers, images, units and extras, too. Each is rounded up to a nano-dollar. A model has one price: ' +
        'where other providers serve it as well, it changes for them, too; their costs stay. You see every price before it is written.',
    )
    .requiredOption('--by <percent>', 'up, such as 10%, or down, such as -5%', readPercent)
    .addOption(new Option('--target <target>', 'the amounts that change').choices(TARGETS).default('price'))
    .option('--model <id>', 'only this model; may be repeated', append)
    .option('--dry-run', 'show the changes, and write nothing')
    .option('--yes', 'write without asking, also below cost')
    .action(async (provider: string, options: ChangeOptions, command: Command) => {
      const context = contextOf(command, deps)
      const { folder, json, remark } = context
      const { catalogue } = await requireCatalogue(folder)
      const configuration = configurationOf(folder, catalogue, deps)
      const { by: percent, target, model: models } = options
      const draft = await draftChange(configuration, { provider, percent, target, models })
      const tell = (written: boolean) =>
        answerWith(context, draft.models, { provider, percent, target, written })
      const is_done = options.dryRun === true || draft.changes === 0
      if (is_done || !json) tell(false)
      if (is_done) return
      await confirmChange(deps, draft.models, { yes: options.yes, json }).catch((thrown: unknown) => {
        if (json) tell(false)
        throw thrown
      })
      const saved = await configuration.save({ text: draft.text }, draft.hash, 'command:prices change')
      if (json) tell(true)
      remark(savedWords(folder, saved))
    })
}

/** Reads a percentage with its sign, such as `-5%`. @throws InvalidArgumentError */
function readPercent(text: string): string {
  const [, percent] = /^(.+?) ?%$/.exec(text) ?? []
  if (percent !== undefined && changeFactor(percent)) return percent
  throw new InvalidArgumentError(
    'Write a percentage above -100% and up to 10000%, but not 0%: 10% raises prices, -5% lowers them.',
  )
}

const append = (id: string, others: string[] = []): string[] => [...others, id]

interface ChangeAnswer extends Pick<ChangeOptions, 'target'> {
  provider: string
  percent: string
  written: boolean
}

function answerWith(
  { answer, remark, tableOf }: Context,
  models: readonly ChangedModel[],
  about: ChangeAnswer,
): void {
  const rows = models.flatMap(rowsOf)
  answer(
    { ...about, models: models.map(changedModelView) },
    tableOf(COLUMNS, rows, `${about.provider} serves no model: nothing changes.`),
  )
  for (const { id, left } of models)
    for (const why of left)
      remark(why === 'free' ? `${id} is free, and stays free.` : `${id}: cost unknown, so it stays.`)
}

interface Row {
  readonly model: string
  readonly provider: string
  readonly line: ChangedLine
}

/** Omits rates that follow from another one, unless they lose money. */
const rowsOf = ({ id, is_chosen, routes }: ChangedModel): Row[] =>
  is_chosen
    ? routes.flatMap(({ provider, lines }) =>
        lines
          .filter((line) => isBelowCost(line) || (!line.follows && (line.price_nanos > 0 || line.cost_nanos)))
          .map((line) => ({ model: id, provider, line })),
      )
    : []

const isBelowCost = ({ price_nanos, cost_nanos }: ChangedLine): boolean => price_nanos < (cost_nanos ?? 0)

/** @throws as `confirm` */
async function confirmChange(
  deps: CliDeps,
  models: readonly ChangedModel[],
  { yes, json }: { yes: boolean | undefined; json: boolean },
): Promise<void> {
  const below_cost = models.filter(
    ({ is_chosen, routes }) => is_chosen && routes.some(({ lines }) => lines.some(isBelowCost)),
  )
  const about =
    below_cost.length === 0
      ? 'The prices above apply to new calls at once.'
      : `${counted(below_cost.length, 'model sells', 'models sell')} below cost: ${below_cost.map(({ id }) => id).join(', ')}.`
  await confirm(deps, {
    yes,
    json,
    about,
    prompt: 'Write these prices to the catalogue? [y/N] ',
    agrees: isYes,
  })
}

const COLUMNS: Column<Row>[] = [
  { head: 'MODEL', text: ({ model }) => model, elastic: true },
  { head: 'PROVIDER', text: ({ provider }) => provider, elastic: true },
  { head: 'RATE', text: ({ line: { name, of } }) => (of === '' ? name : `${name}, ${of}`), elastic: true },
  { head: 'OLD PRICE', text: ({ line }) => formatUsd(line.old_price_nanos), right: true },
  { head: 'PRICE', text: ({ line }) => formatUsd(line.price_nanos), right: true },
  {
    head: 'COST',
    text: ({ line }) => (line.cost_nanos === null ? '-' : formatUsd(line.cost_nanos)),
    right: true,
  },
  { head: 'MARGIN', text: ({ line }) => percentText(line), right: true },
]
