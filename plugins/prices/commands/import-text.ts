// The output of `prices import`: changes as a table, and prices in the list without a place in the catalogue. Pure.

import { type Column, table, wrapped } from '../../../src/app/command-line/table.ts'
import { type ExactDecimal, timesRoundingUp } from '../../../src/catalogue/decimal.ts'
import { marginPercent } from '../../../src/domain/margin.ts'
import { formatUsd, NANOS_PER_USD } from '../../../src/domain/money.ts'
import { money } from '../../../src/http/views.ts'
import { counted } from '../../../src/utilities/counted.ts'
import type { PriceList } from '../list/list.ts'
import { isJump, MAX_FACTOR } from '../list/merge.ts'
import type { PlannedChange, PlannedShutdown, PricePlan, UnchangedRoute } from '../list/plan.ts'
import { isSupported } from '../list/rates.ts'

const INDENT = '  '
/** The entry's name before an image field. --json has it in full. */
const ENTRY_NAME = /^.*: /

/** @param markup of the prices, as a factor @param columns the terminal's width; undefined without a terminal */
export function describePlan(
  plan: PricePlan,
  list: PriceList,
  markup: ExactDecimal | undefined,
  columns: number | undefined,
): string {
  const parts = [
    plan.changes.length === 0 && plan.ends.length > 0
      ? []
      : [table(columnsFor(plan.changes), plan.changes, 'Nothing to change.', columns)],
    shutdownDateLines(plan.ends),
    unchangedRouteLines(plan.left, list),
    byNote('Prices in the list that are not used:', notesOf(plan, 'unmapped')),
    byNote('Rounded up to a nano-dollar:', notesOf(plan, 'rounded')),
    byNote('Kept, because the list does not have it:', notesOf(plan, 'kept')),
    marginSummary(plan, markup),
    summary(plan, list),
  ]
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

const columnsFor = (changes: readonly PlannedChange[]): Column<PlannedChange>[] => {
  const by_model = Map.groupBy(changes, ({ model }) => model)
  const isAlone = ({ model, cost_of }: PlannedChange) =>
    by_model
      .get(model)
      ?.every(
        (other) =>
          other.cost_of?.provider !== cost_of?.provider || other.cost_of?.upstream === cost_of?.upstream,
      )
  return [
    { head: 'MODEL', text: ({ model }) => model, elastic: true },
    { head: 'WHAT', text: (change) => targetOf(change, isAlone(change) === true), elastic: true },
    { head: 'RATE', text: ({ rate }) => rate },
    { head: 'OLD', text: ({ old_nanos }) => (old_nanos === null ? '-' : formatUsd(old_nanos)), right: true },
    { head: 'NEW', text: ({ new_nanos }) => formatUsd(new_nanos), right: true },
  ]
}

/** Returns warnings to show before the import is written. */
export function warningsOf(
  { changes, ends, unread_ends }: PricePlan,
  { duplicates }: PriceList,
  now_ms: number,
): string[] {
  const today = new Date(now_ms).toISOString().slice(0, 'YYYY-MM-DD'.length)
  const past = ends.filter((end) => end.new < today).map(({ model }) => model)
  const jumps = changes.filter(isJump)
  return [
    ...(unread_ends.length === 0
      ? []
      : [`Invalid shutdown dates in the list, ignored: ${firstNames(unread_ends)}.`]),
    ...(past.length === 0
      ? []
      : [
          `Already shut down according to the list: ${firstNames(past)}. Add a route to the replacement, or retire the model.`,
        ]),
    ...(duplicates.length === 0 ? [] : [`Listed twice (the last one is used): ${firstNames(duplicates)}.`]),
    ...(jumps.length === 0
      ? []
      : [
          `${countOf(jumps)} by more than a factor of ${MAX_FACTOR}: ${firstNames(jumps.map(jumpText))}. Check that the list is right.`,
        ]),
  ]
}

/** `1 price changes`, `2 prices change`. */
export const countOf = ({ length }: readonly unknown[]): string =>
  counted(length, 'price changes', 'prices change')

/** Names in a warning. The table and --json have all. */
const MAX_NAMED = 5

const firstNames = (names: readonly string[]): string =>
  names.slice(0, MAX_NAMED).join(', ') +
  (names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '')

const jumpText = ({ model, cost_of, rate, old_nanos, new_nanos }: PlannedChange): string =>
  `${model} ${cost_of ? `cost ${cost_of.provider} ` : ''}${rate} ${formatUsd(old_nanos ?? 0)} -> ${formatUsd(new_nanos)}`

/** @param is_alone whether no other route of the model goes to the same provider */
function targetOf({ cost_of }: PlannedChange, is_alone: boolean): string {
  if (!cost_of) return 'price'
  return `cost ${cost_of.provider}${is_alone ? '' : `:${cost_of.upstream}`}`
}

/** Entries to name for an ambiguous route: a common model name may have many. */
const MAX_ENTRIES = 5

function unchangedRouteLines(left: readonly UnchangedRoute[], { entries }: PriceList): string[] {
  const providers = new Map(entries.map(({ id, provider }) => [id, provider]))
  const nameOf = (id: string) => {
    const provider = providers.get(id) ?? ''
    return id.startsWith(`${provider}/`) ? id : `${id} of ${provider}`
  }
  const of = (wanted: UnchangedRoute['reason']) => left.filter(({ reason }) => reason === wanted)
  const not_listed = of('not listed').map(routeName)
  const lines = not_listed.length === 0 ? [] : wrapped(`Not in the list: ${not_listed.join(', ')}.`, '')
  for (const route of of('ambiguous')) {
    const more = route.entries.length - MAX_ENTRIES
    const names =
      route.entries.slice(0, MAX_ENTRIES).map(nameOf).join(', ') + (more > 0 ? ` and ${more} more` : '')
    const text = `Ambiguous: ${routeName(route)} may be ${names}. Choose one with --from.`
    lines.push(...wrapped(text, ''))
  }
  for (const route of of('no price'))
    lines.push(
      ...wrapped(`No price for this kind of model: ${routeName(route)} (${route.entries.join(', ')}).`, ''),
    )
  return lines
}

function shutdownDateLines(ends: readonly PlannedShutdown[]): string[] {
  if (ends.length === 0) return []
  return [
    'Shutdown dates:',
    ...ends.map((end) => `${INDENT}${routeName(end)}: ${end.old === null ? '' : `${end.old} -> `}${end.new}`),
  ]
}

const routeName = ({
  model,
  provider,
  upstream,
}: Pick<UnchangedRoute, 'model' | 'provider' | 'upstream'>): string => `${model} (${provider}:${upstream})`

type Notes = readonly (readonly [word: string, model: string])[]

const notesOf = ({ used }: PricePlan, field: 'unmapped' | 'rounded' | 'kept'): Notes =>
  used.flatMap((entry) => entry[field].map((word) => [word, entry.model] as const))

/** Returns a line for each field or note, with the models it applies to. */
function byNote(head: string, words: Notes): string[] {
  if (words.length === 0) return []
  const groups = Map.groupBy(words, ([word]) => word.replace(ENTRY_NAME, ''))
  return [
    head,
    ...[...groups].flatMap(([word, of]) => {
      const models = [...new Set(of.map(([, model]) => model))]
      const [first = '', ...more] = wrapped(`${word}: ${models.join(', ')}`, INDENT + INDENT)
      return [first.slice(INDENT.length), ...more]
    }),
  ]
}

/** Describes the margin of the new prices: cost plus markup. */
function marginSummary({ changes }: PricePlan, markup: ExactDecimal | undefined): string[] {
  if (!markup || changes.every(({ cost_of }) => cost_of !== undefined)) return []
  const price_nanos = timesRoundingUp(NANOS_PER_USD, markup)
  const margin = `${marginPercent(price_nanos, NANOS_PER_USD) ?? '0'} %`
  return [`A cost of 1.00 USD sells at ${formatUsd(price_nanos)}: a margin of ${margin}.`]
}

function summary({ changes, used }: PricePlan, { entries, skipped }: PriceList): string[] {
  const unsupported = entries.filter(({ mode }) => !isSupported(mode)).length
  const models = new Set(changes.map(({ model }) => model)).size
  return wrapped(
    `Entries in the list: ${entries.length + skipped.length}, not models: ${skipped.length}, of unsupported kinds: ` +
      `${unsupported}. Routes found in it: ${used.length}. Changes: ${changes.length}, in models: ${models}.`,
    '',
  )
}

/** The plan as `--json` prints it. */
export const planView = (
  { changes, ends, used, left }: PricePlan,
  { entries, skipped, duplicates }: PriceList,
  outcome: { file: string; written: boolean },
) => ({
  ...outcome,
  entries: entries.length + skipped.length,
  skipped,
  duplicates,
  changes: changes.map(({ model, cost_of, rate, old_nanos, new_nanos }) => ({
    model,
    cost_of: cost_of ?? null,
    rate,
    ...money('old', old_nanos),
    ...money('new', new_nanos),
    jump: isJump({ rate, old_nanos, new_nanos }),
  })),
  shutdown_dates: ends,
  used,
  left,
})
