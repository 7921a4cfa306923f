// Keys, headers and settings of a channel. Disabled keys, and settings without a counterpart, are not imported.
import type { LeftOut } from '../move-in.ts'
import { parseSourceJson } from '../source/json.ts'
import type { SourceRow } from '../source/rows.ts'
import { parseJsonObject, textOf } from './values.ts'

const ENABLED = 1

/**
 * The keys of a channel: one per line, a JSON list (constant/multi_key_mode.go, model/channel.go of new-api), or the JSON of a service account.
 *
 * @returns enabled keys; a service account as one line
 */
export function channelKeys(row: SourceRow, label: string): { keys: string[]; left_out: LeftOut[] } {
  const all = parseKeys(textOf(row, 'key'))
  const { multi_key_status_list } = parseJsonObject(textOf(row, 'channel_info')) ?? {}
  const states = new Map(Object.entries(Object(multi_key_status_list ?? {})))
  const isOn = (at: number): boolean => Number(states.get(String(at)) ?? ENABLED) === ENABLED
  const keys = all.filter((_, at) => isOn(at))
  const off = all.length - keys.length
  const left_out: LeftOut[] =
    off === 0
      ? []
      : [{ kind: 'keys of channels', row: label, reason: `${off} of its ${all.length} keys are disabled.` }]
  return { keys: keys.filter((key) => key !== ''), left_out }
}

function parseKeys(text: string): string[] {
  if (text.startsWith('{')) {
    const account = parseJsonObject(text)
    if (account) return [JSON.stringify(account)]
  }
  const list = text.startsWith('[') ? parseSourceJson(text) : undefined
  if (Array.isArray(list))
    return list.map((key: unknown) => (typeof key === 'string' ? key.trim() : JSON.stringify(key)))
  // Empty lines count: new-api disables keys by their line number.
  return text.split('\n').map((line) => line.trim())
}

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

/** Returns headers with fixed values. A value with braces is a template. */
export function fixedHeaders(row: SourceRow): Record<string, string> {
  const organization = textOf(row, 'openai_organization')
  const override = parseJsonObject(textOf(row, 'header_override')) ?? {}
  return {
    ...(organization === '' ? {} : { 'OpenAI-Organization': organization }),
    ...Object.fromEntries(
      Object.entries(override).flatMap(([name, value]) => (isFixed(name, value) ? [[name, value]] : [])),
    ),
  }
}

const isFixed = (name: string, value: unknown): value is string =>
  HEADER_NAME.test(name) && typeof value === 'string' && value.trim() !== '' && !value.includes('{')

/** Settings in the columns `setting` and `settings` that do not affect requests here. */
const IRRELEVANT = ['azure_responses_version', 'vertex_key_type', 'aws_key_type', 'claude_beta_query']

/** Lists settings without a counterpart in the catalogue. */
export function channelSettings(row: SourceRow, label: string): LeftOut[] {
  const setting = { ...parseJsonObject(textOf(row, 'setting')), ...parseJsonObject(textOf(row, 'settings')) }
  const { proxy, ...switches } = setting
  const names = Object.entries(switches)
    .filter(([name, value]) => Boolean(value) && !IRRELEVANT.includes(name))
    .map(([name]) => name)
  const headers = Object.entries(parseJsonObject(textOf(row, 'header_override')) ?? {}).filter(
    ([name, value]) => !isFixed(name, value),
  )
  const has = (column: string): boolean => !['', '{}', 'null'].includes(textOf(row, column))
  const reasons = [
    has('param_override') &&
      'Its parameter overrides are not imported. Use set_fields and drop_fields of the provider.',
    headers.length > 0 &&
      `Its headers ${headers.map(([name]) => name).join(', ')} differ for each request, and are not imported.`,
    Boolean(proxy) && 'Its proxy is not imported: requests go to the provider directly.',
    has('system_prompt') && 'Its system prompt is not imported.',
    has('status_code_mapping') && 'Its mapping of status codes is not imported.',
    names.length > 0 && `Its settings ${names.join(', ')} are not imported.`,
  ]
  return reasons.flatMap((reason) => (reason ? [{ kind: 'channel settings', row: label, reason }] : []))
}
