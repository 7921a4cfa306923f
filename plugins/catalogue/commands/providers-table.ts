// The output of `providers test` in a terminal of 80 columns: a table for each provider, and advice on failures. Pure.

import { type Column, cut, table, wrapped } from '../../../src/app/command-line/table.ts'
import { keyNumber, kindOf, type Tested, type Untested } from '../route-tests/route-tests.ts'

const INDENT = '     '
const MAX_MODEL_CHARS = 33
/** Longer kinds are taken off the model's column. */
const MIN_KIND_CHARS = 'embedding'.length
const MAX_WORDS_CHARS = 400

const REASONS: Readonly<Record<Untested['reason'], string>> = {
  image: '--images tests image models, at the price of an image',
  'no route': 'no model has a route to it: add one in [[models]]',
}

export function describeTests(tested: readonly Tested[], untested: readonly Untested[]): string {
  const by_provider = Map.groupBy(tested, ({ provider }) => provider)
  const tables = [...by_provider].map(([{ name, base_url }, own]) =>
    [...wrapped(`${name}  ${base_url}`, ''), withWords(own)].join('\n'),
  )
  const advice = [...new Set(tested.flatMap(adviceOn))].flatMap((each) => wrapped(each, ''))
  const left_out = [...Map.groupBy(untested, ({ reason }) => reason)].flatMap(([reason, all]) =>
    wrapped(`Not tested: ${all.map(nameOf).join(', ')} (${REASONS[reason]}).`, ''),
  )
  const failed = tested.filter(({ result }) => result !== 'ok').length
  const sum = tested.length === 0 ? [] : [`Requests: ${tested.length}, failed: ${failed}.`]
  const parts = [...tables, advice.join('\n'), left_out.join('\n'), sum.join('\n')]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Begins with the word that the row shows as its result, also where more is known. */
function adviceOn({ result, advice }: Tested): string[] {
  if (advice === null) return []
  return [advice.startsWith(`${result}:`) ? advice : `${result}: ${advice}`]
}

const nameOf = ({ provider, model }: Untested): string => (model === null ? provider : `${provider}:${model}`)

const columnsFor = (model_chars: number): Column<Tested>[] => [
  { head: 'KEY', text: ({ provider, key }) => String(keyNumber(provider, key)), right: true },
  { head: 'MODEL', text: ({ route }) => cut(route.model, model_chars) },
  { head: 'KIND', text: kindOf },
  { head: 'RESULT', text: ({ result }) => result },
  { head: 'STATUS', text: ({ status }) => String(status ?? '-'), right: true },
  { head: 'MS', text: ({ latency_ms }) => String(latency_ms), right: true },
]

/** Under each route that failed its address and what the provider says. */
function withWords(tested: readonly Tested[]): string {
  const kind_chars = Math.max(MIN_KIND_CHARS, ...tested.map((one) => kindOf(one).length))
  const columns = columnsFor(MAX_MODEL_CHARS + MIN_KIND_CHARS - kind_chars)
  const [head = '', ...rows] = table(columns, tested, '').split('\n')
  const lines = rows.flatMap((row, index) => [row, ...detailsOf(tested[index])])
  return [head, ...lines].join('\n')
}

function detailsOf(tested: Tested | undefined): string[] {
  if (!tested || tested.result === 'ok') return []
  const { address, words } = tested
  const said = words.replace(/\s+/g, ' ').trim().slice(0, MAX_WORDS_CHARS)
  return [...(address === undefined ? [] : wrapped(address, INDENT)), ...wrapped(said, INDENT)]
}
