// Keys, headers and settings of a channel; some keys may be disabled, and some settings have no counterpart.
import type { LeftOut } from '../move-in.ts'
import { jsonIn } from '../source/json.ts'
import type { SourceRow } from '../source/rows.ts'
import { objectIn, textOf } from './values.ts'

const ENABLED = 1

/**
 * The keys of a channel: one a line, a JSON list (constant/multi_key_mode.go, model/channel.go of new-api), or the JSON of a service account.
 *
 * @returns keys that are in use, service accounts on one line
 */
export function channelKeys(row: SourceRow, label: string): { keys: string[]; left_out: LeftOut[] } {
  const all = keysIn(textOf(row, 'key'))
  const { multi_key_status_list } = objectIn(textOf(row, 'channel_info')) ?? {}
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

function keysIn(text: string): string[] {
  if (text.startsWith('{')) {
    const account = objectIn(text)
    if (account) return [JSON.stringify(account)]
  }
  const list = text.startsWith('[') ? jsonIn(text) : undefined
  if (Array.isArray(list))
    return list.map((key: unknown) => (typeof key === 'string' ? key.trim() : JSON.stringify(key)))
  // An empty line counts, too: keys are switched off by the number of their line.
  return text.split('\n').map((line) => line.trim())
}

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

/** Headers that can be sent as they are: a value with braces is a template of the program. */
export function headersIn(row: SourceRow): Record<string, string> {
  const organization = textOf(row, 'openai_organization')
  const override = objectIn(textOf(row, 'header_override')) ?? {}
  return {
    ...(organization === '' ? {} : { 'OpenAI-Organization': organization }),
    ...Object.fromEntries(
      Object.entries(override).flatMap(([name, value]) => (isPlain(name, value) ? [[name, value]] : [])),
    ),
  }
}

const isPlain = (name: string, value: unknown): value is string =>
  HEADER_NAME.test(name) && typeof value === 'string' && value.trim() !== '' && !value.includes('{')

/** Switches in the columns `setting` and `settings` that change nothing of a request here. */
const HARMLESS = ['azure_responses_version', 'vertex_key_type', 'aws_key_type', 'claude_beta_query']

/** Settings without a counterpart in a catalogue. */
export function channelSettings(row: SourceRow, label: string): LeftOut[] {
  const setting = { ...objectIn(textOf(row, 'setting')), ...objectIn(textOf(row, 'settings')) }
  const { proxy, ...switches } = setting
  const names = Object.entries(switches)
    .filter(([name, value]) => Boolean(value) && !HARMLESS.includes(name))
    .map(([name]) => name)
  const headers = Object.entries(objectIn(textOf(row, 'header_override')) ?? {}).filter(
    ([name, value]) => !isPlain(name, value),
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
