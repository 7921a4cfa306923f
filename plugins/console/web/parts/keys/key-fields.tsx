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
  addresses: string
  /** A day of this browser's time zone, `2026-12-31`. */
  expires: string
}

export const EMPTY_DRAFT: KeyDraft = { name: '', models: '', spend_limit: '', addresses: '', expires: '' }

export const draftOf = (key: ShownKey): KeyDraft => ({
  name: key.name,
  models: key.models?.join(', ') ?? '',
  spend_limit: key.spend_limit_usd ?? '',
  addresses: key.addresses?.join(', ') ?? '',
  expires: key.expires_at_ms === null ? '' : dayOf(key.expires_at_ms - 1),
})

/** What is sent: null if there is no limit. */
export const settingsOf = ({ models, spend_limit, addresses, expires }: KeyDraft) => ({
  models: listIn(models),
  spend_limit: spend_limit.trim() || null,
  addresses: listIn(addresses),
  expires: expires === '' ? null : endOf(expires),
})

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
      <Field label="Name" name="name" help="What it is for, such as laptop or website.">
        <TextInput value={draft.name} onChange={set('name')} autoComplete="off" />
      </Field>
      <Field label="Models" name="models" help="Ids or patterns such as gemini-*. Empty: all.">
        <TextInput code value={draft.models} onChange={set('models')} autoComplete="off" />
      </Field>
      <div className="fields">
        <Field label="Spend limit" name="spend_limit" help="What all its calls may cost. Empty: no limit.">
          <MoneyInput value={draft.spend_limit} onChange={set('spend_limit')} />
        </Field>
        <Field label="Last day" name="expires" help="Empty: it does not expire.">
          <TextInput type="date" value={draft.expires} onChange={set('expires')} />
        </Field>
      </div>
      <Field
        label="Addresses"
        name="addresses"
        help="Where it is used from, such as 10.0.0.0/8. Empty: anywhere."
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
    ['--spend-limit', draft.spend_limit.trim() || unset.spend_limit],
    ['--expires', draft.expires || unset.expires],
    ['--addresses', addresses?.join(',') ?? unset.addresses],
  ]
  return values
    .map(([name, value]) => (value === undefined ? '' : ` ${name} ${plainInShell(value)}`))
    .join('')
}

const plainInShell = (word: string): string => (/^[\w.,:/@+-]+$/.test(word) ? word : inShell(word))
