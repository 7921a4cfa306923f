// A setting as text in a field, and as a value in the file; its label, help and unit where no table has words for it.

import type { AnswerOf, api } from '../../../console/web/app/client.ts'
import { capital } from '../../../console/web/parts/capital.ts'
import { type Block, listAt, numberIn, type Value, valueAt } from './values.ts'

export type Settings = AnswerOf<typeof api.catalogue.settings.get>
export type SectionField = Settings['sections'][number]['fields'][number]
export type SettingField = Settings['blocks']['provider'][number]

/** "pass" is the older word for true. */
export const isOn = (value: unknown): boolean => value === true || value === 'true' || value === 'pass'

/** As a field shows it: empty where the file does not have it; of a switch "true" or "false". */
export function textOf(field: SettingField, block: Block): string {
  const { kind, path } = field
  if (kind === 'list') return listAt(block, ...path).join(', ')
  const text = String(valueAt(block, ...path) ?? '')
  if (kind === 'switch') return text === '' ? '' : String(isOn(text))
  return unitOf(field) === 'USD' ? withDecimals(text) : text
}

/** With two decimals at least, as prices are written. */
function withDecimals(text: string): string {
  const [whole, decimals = ''] = text.split('.')
  return /^\d+(\.\d+)?$/.test(text) ? `${whole}.${decimals.padEnd(2, '0')}` : text
}

/** As the file has it; undefined takes it out, which an emptied field does unless its block is known by it. */
export function valueFrom(
  { kind, is_required }: Pick<SettingField, 'kind' | 'is_required'>,
  text: string,
): Value | undefined {
  if (text === '' && !(is_required && kind === 'text')) return undefined
  if (kind === 'switch') return text === 'true'
  if (kind === 'number') return numberIn(text)
  if (kind !== 'list') return text
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

const UNITS: readonly [ending: RegExp, unit: string][] = [
  [/_usd$/, 'USD'],
  [/_ms$/, 'ms'],
  [/_mb(_|$)/, 'MB'],
  [/_bytes$/, 'bytes'],
  [/_hours$/, 'hours'],
  [/^(days|traces)$/, 'days'],
]

/** What stands behind the number of a field. */
export function unitOf({ kind, path }: SettingField): string | undefined {
  if (kind === 'amount') return 'USD'
  if (kind === 'percent') return '%'
  const name = path.at(-1) ?? ''
  return kind === 'number' ? UNITS.find(([ending]) => ending.test(name))?.[1] : undefined
}

/** `account.requests_per_minute` as "Account: requests per minute". */
export function labelOf(path: readonly string[]): string {
  const words = path
    .map((name) => name.replace(/_(ms|mb|usd|bytes)(?=_|$)/, '').replaceAll('_', ' '))
    .join(': ')
    .replace(/\b(cors|http|tls|url)\b/g, (name) => name.toUpperCase())
  return capital(words)
}

export function helpOf({ kind, description, options }: SettingField): string {
  const among = kind === 'list' && options.length > 0 ? `of ${options.join(', ')}` : undefined
  const words = [description, among, kind === 'list' ? 'separated by commas' : undefined]
    .filter(Boolean)
    .join(', ')
  return words === '' ? '' : `${capital(words)}.`
}
