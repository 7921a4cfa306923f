// Conversion of settings between text in a field and values in the file; default labels, help and units.

import type { AnswerOf, api } from '../../../console/web/app/client.ts'
import { capital } from '../../../console/web/parts/capital.ts'
import { type Block, listAt, numberIn, type Value, valueAt } from './values.ts'

export type Settings = AnswerOf<typeof api.catalogue.settings.get>
export type SectionField = Settings['sections'][number]['fields'][number]
export type SettingField = Settings['blocks']['provider'][number]

/** "pass" is a former word for true. */
export const isOn = (value: unknown): boolean => value === true || value === 'true' || value === 'pass'

/** Returns the text for a field: empty if not set; "true" or "false" for a switch. */
export function textOf(field: SettingField, block: Block): string {
  const { kind, path } = field
  if (kind === 'list') return listAt(block, ...path).join(', ')
  const text = String(valueAt(block, ...path) ?? '')
  if (kind === 'switch') return text === '' ? '' : String(isOn(text))
  return unitOf(field) === 'USD' ? withDecimals(text) : text
}

/** Adds decimals, so that an amount has at least two. */
function withDecimals(text: string): string {
  const [whole, decimals = ''] = text.split('.')
  return /^\d+(\.\d+)?$/.test(text) ? `${whole}.${decimals.padEnd(2, '0')}` : text
}

/** Returns the value for the file. An empty text removes the setting, unless it is the block's name. */
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

export function unitOf({ kind, path }: SettingField): string | undefined {
  if (kind === 'amount') return 'USD'
  if (kind === 'percent') return '%'
  const name = path.at(-1) ?? ''
  return kind === 'number' ? UNITS.find(([ending]) => ending.test(name))?.[1] : undefined
}

/** Returns a label: "Account: requests per minute" for `account.requests_per_minute`. */
export function labelOf(path: readonly string[]): string {
  const words = path
    .map((name) => name.replace(/_(ms|mb|usd|bytes)(?=_|$)/, '').replaceAll('_', ' '))
    .join(': ')
    .replace(/\b(cors|http|id|tls|url)\b/g, (name) => name.toUpperCase())
  return capital(words)
}

export function helpOf({ kind, description, options }: SettingField): string {
  const choices = options.length > 0 ? `: ${options.join(', ')}` : ''
  const words = [description, kind === 'list' ? `separated by commas${choices}` : undefined]
  return words.flatMap((each) => (each ? `${capital(each)}.` : [])).join(' ')
}
