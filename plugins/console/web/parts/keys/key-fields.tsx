// The fields of a key: what it is for, and its limits.
import type { ShownKey } from '../../../api/keys-views.ts'
import { inShell } from '../code-samples/samples.ts'
import { Field } from '../field.tsx'
import { MoneyInput, TextInput } from '../input.tsx'

/** What is typed; an empty text is no limit. */
export interface KeyDraft {
  name: string
  models: string
  spend_limit: string
  daily_limit: string
  monthly_limit: string
  concurrent_calls: string
  addresses: string
  /** A day of this browser's time zone, `2026-12-31`. */
  expires: string
}

export const EMPTY_DRAFT: KeyDraft = {
  name: '',
  models: '',
  spend_limit: '',
  daily_limit: '',
  monthly_limit: '',
  concurrent_calls: '',
  addresses: '',
  expires: '',
}

export const draftOf = (key: ShownKey): KeyDraft => ({
  name: key.name,
  models: key.models?.join(', ') ?? '',
  spend_limit: key.spend_limit_usd ?? '',
  daily_limit: key.daily_limit_usd ?? '',
  monthly_limit: key.monthly_limit_usd ?? '',
  concurrent_calls: key.concurrent_calls === null ? '' : String(key.concurrent_calls),
  addresses: key.addresses?.join(', ') ?? '',
  expires: key.expires_at_ms === null ? '' : dayOf(key.expires_at_ms - 1),
})

/** What is sent: null if there is no limit. */
export const settingsOf = (draft: KeyDraft) => ({
  models: listIn(draft.models),
  spend_limit: draft.spend_limit.trim() || null,
  daily_limit: draft.daily_limit.trim() || null,
  monthly_limit: draft.monthly_limit.trim() || null,
  concurrent_calls: numberIn(draft.concurrent_calls),
  addresses: listIn(draft.addresses),
  expires: draft.expires === '' ? null : endOf(draft.expires),
})

/** What is no number is sent as one that the server refuses in its own words. */
const numberIn = (text: string): number | null =>
  text.trim() === '' ? null : /^\d{1,7}$/.test(text.trim()) ? Number(text) : 0

function listIn(text: string): string[] | null {
  const words = text.split(/[\s,]+/).filter(Boolean)
  return words.length === 0 ? null : words
}

const two = (value: number): string => String(value).padStart(2, '0')

function dayOf(time_ms: number): string {
  const date = new Date(time_ms)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** The end of a day here, as the server reads times. What is no day is sent as it is, and refused in the server's words. */
function endOf(day: string): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const end = new Date(year, month - 1, date + 1)
  return Number.isNaN(end.getTime()) ? day : end.toISOString()
}

export interface KeyFieldsProps {
  draft: KeyDraft
  onChange: (draft: KeyDraft) => void
}

export function KeyFields({ draft, onChange }: KeyFieldsProps) {
  const set = (name: keyof KeyDraft) => (value: string) => onChange({ ...draft, [name]: value })
  return (
    <>
      <Field label="Name" name="name" help="Give the key a name, such as “laptop”.">
        <TextInput value={draft.name} onChange={set('name')} autoComplete="off" />
      </Field>
      <Field
        label="Models"
        name="models"
        help="Model IDs or patterns, such as gemini-*. Leave empty to allow all."
      >
        <TextInput code value={draft.models} onChange={set('models')} autoComplete="off" />
      </Field>
      <div className="fields">
        <Field label="Daily limit" name="daily_limit" help="A day begins at 00:00 UTC.">
          <MoneyInput value={draft.daily_limit} onChange={set('daily_limit')} />
        </Field>
        <Field label="Monthly limit" name="monthly_limit" help="A month begins on the 1st, UTC.">
          <MoneyInput value={draft.monthly_limit} onChange={set('monthly_limit')} />
        </Field>
        <Field label="Total spend limit" name="spend_limit" help="Leave a limit empty for none.">
          <MoneyInput value={draft.spend_limit} onChange={set('spend_limit')} />
        </Field>
      </div>
      <div className="fields">
        <Field label="Concurrent calls" name="concurrent_calls" help="Leave empty for no limit.">
          <TextInput
            inputMode="numeric"
            value={draft.concurrent_calls}
            onChange={set('concurrent_calls')}
            autoComplete="off"
          />
        </Field>
        <Field label="Last day" name="expires" help="Leave empty to never expire.">
          <TextInput type="date" value={draft.expires} onChange={set('expires')} />
        </Field>
      </div>
      <Field
        label="Addresses"
        name="addresses"
        help="Networks in CIDR notation, such as 10.0.0.0/8. Leave empty to allow any."
      >
        <TextInput code value={draft.addresses} onChange={set('addresses')} autoComplete="off" />
      </Field>
    </>
  )
}

/** The options of `key create` and `key change` that say the same. @param unset how each limit is taken away */
export function optionsFor(draft: KeyDraft, unset: Partial<Record<keyof KeyDraft, string>> = {}): string {
  const { models, addresses } = settingsOf(draft)
  const values: [string, string | undefined][] = [
    ['--name', draft.name.trim() || undefined],
    ['--models', models?.join(',') ?? unset.models],
    ['--daily-limit', draft.daily_limit.trim() || unset.daily_limit],
    ['--monthly-limit', draft.monthly_limit.trim() || unset.monthly_limit],
    ['--spend-limit', draft.spend_limit.trim() || unset.spend_limit],
    ['--concurrent-calls', draft.concurrent_calls.trim() || unset.concurrent_calls],
    ['--expires', draft.expires || unset.expires],
    ['--addresses', addresses?.join(',') ?? unset.addresses],
  ]
  return values
    .map(([name, value]) => (value === undefined ? '' : ` ${name} ${plainInShell(value)}`))
    .join('')
}

const plainInShell = (word: string): string => (/^[\w.,:/@+-]+$/.test(word) ? word : inShell(word))
