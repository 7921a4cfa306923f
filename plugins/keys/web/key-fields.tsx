// Form fields of a key: name, models, limits and expiry.
import type { ReactNode } from 'react'
import { shellQuote } from '../../console/web/parts/code-samples/samples.ts'
import { Field } from '../../console/web/parts/field.tsx'
import { MoneyInput, TextInput } from '../../console/web/parts/input.tsx'
import { dayName, endOfDay } from '../../console/web/parts/time-words.ts'
import type { KeyView } from '../console/views.ts'

export const KEY_LABELS = {
  name: 'Name',
  models: 'Models',
  daily_limit: 'Daily limit',
  monthly_limit: 'Monthly limit',
  five_hour_limit: '5-hour limit',
  weekly_limit: 'Weekly limit',
  spend_limit: 'Total spend limit',
  concurrent_calls: 'Concurrent requests',
  expires: 'Expires after',
  addresses: 'Allowed networks',
} as const

/** The texts of the form; an empty one means no limit. `expires` is a day in the page's time zone, `2026-12-31`. */
type KeyDraft = Record<keyof typeof KEY_LABELS, string>

const NAMES = Object.keys(KEY_LABELS) as (keyof KeyDraft)[]

export const EMPTY_DRAFT = Object.fromEntries(NAMES.map((name) => [name, ''])) as KeyDraft

export const draftOf = (key: KeyView): KeyDraft => ({
  name: key.name,
  models: key.models?.join(', ') ?? '',
  spend_limit: key.spend_limit_usd ?? '',
  daily_limit: key.daily_limit_usd ?? '',
  monthly_limit: key.monthly_limit_usd ?? '',
  five_hour_limit: key.five_hour_limit_usd ?? '',
  weekly_limit: key.weekly_limit_usd ?? '',
  concurrent_calls: key.concurrent_calls === null ? '' : String(key.concurrent_calls),
  addresses: key.addresses?.join(', ') ?? '',
  expires: key.expires_at_ms === null ? '' : dayName(key.expires_at_ms - 1),
})

/** Converts a draft to the fields of a request: null for no limit. An invalid day is sent unchanged, so that the server's error is shown. */
export const settingsOf = (draft: KeyDraft) => ({
  name: draft.name.trim(),
  models: listIn(draft.models),
  spend_limit: draft.spend_limit.trim() || null,
  daily_limit: draft.daily_limit.trim() || null,
  monthly_limit: draft.monthly_limit.trim() || null,
  five_hour_limit: draft.five_hour_limit.trim() || null,
  weekly_limit: draft.weekly_limit.trim() || null,
  concurrent_calls: numberIn(draft.concurrent_calls),
  addresses: listIn(draft.addresses),
  expires: draft.expires === '' ? null : (endOfDay(draft.expires) ?? draft.expires),
})

/** Returns the same fields of the key itself. Its expiry has a time of day. */
export const writtenOf = (key: KeyView) => ({
  name: key.name,
  models: key.models,
  spend_limit: key.spend_limit_usd,
  daily_limit: key.daily_limit_usd,
  monthly_limit: key.monthly_limit_usd,
  five_hour_limit: key.five_hour_limit_usd,
  weekly_limit: key.weekly_limit_usd,
  concurrent_calls: key.concurrent_calls,
  addresses: key.addresses,
  expires: key.expires_at,
})

/** An invalid text becomes 0, so that the server's error is shown. */
const numberIn = (text: string): number | null =>
  text.trim() === '' ? null : /^\d{1,7}$/.test(text.trim()) ? Number(text) : 0

function listIn(text: string): string[] | null {
  const words = text.split(/[\s,]+/).filter(Boolean)
  return words.length === 0 ? null : words
}

interface KeyFieldsProps {
  draft: KeyDraft
  /** Hides the limits at first, because a first key needs only a name. */
  folded?: boolean
  onChange: (draft: KeyDraft) => void
  children?: ReactNode
}

export function KeyFields({ draft, folded = false, onChange, children }: KeyFieldsProps) {
  const set = (name: keyof KeyDraft) => (value: string) => onChange({ ...draft, [name]: value })
  return (
    <>
      <Field label={KEY_LABELS.name} name="name" help="Give the key a name, such as “laptop”.">
        <TextInput value={draft.name} onChange={set('name')} autoComplete="off" />
      </Field>
      {children}
      <details className="folded" open={!folded}>
        <summary>Limits and expiry</summary>
        <LimitFields draft={draft} set={set} />
      </details>
    </>
  )
}

interface LimitFieldsProps {
  draft: KeyDraft
  set: (name: keyof KeyDraft) => (value: string) => void
}

const SPEND_LIMITS = [
  ['five_hour_limit', 'Starts with the first call.'],
  ['daily_limit', 'A day begins at 00:00 UTC.'],
  ['weekly_limit', 'A week begins on Monday, UTC.'],
  ['monthly_limit', 'A month begins on the 1st, UTC.'],
  ['spend_limit', 'Leave a limit empty for none.'],
] as const

const LimitFields = ({ draft, set }: LimitFieldsProps) => (
  <div className="stack">
    <Field
      label={KEY_LABELS.models}
      name="models"
      help="Model IDs or patterns, such as gemini-*. Leave empty to allow all."
    >
      <TextInput code value={draft.models} onChange={set('models')} autoComplete="off" />
    </Field>
    <div className="fields">
      {SPEND_LIMITS.map(([name, help]) => (
        <Field key={name} label={KEY_LABELS[name]} name={name} help={help}>
          <MoneyInput value={draft[name]} onChange={set(name)} />
        </Field>
      ))}
    </div>
    <div className="fields">
      <Field label={KEY_LABELS.concurrent_calls} name="concurrent_calls" help="Leave empty for no limit.">
        <TextInput
          inputMode="numeric"
          value={draft.concurrent_calls}
          onChange={set('concurrent_calls')}
          autoComplete="off"
        />
      </Field>
      <Field label={KEY_LABELS.expires} name="expires" help="Leave empty to never expire.">
        <TextInput type="date" value={draft.expires} onChange={set('expires')} />
      </Field>
    </div>
    <Field
      label={KEY_LABELS.addresses}
      name="addresses"
      help="Networks in CIDR notation, such as 10.0.0.0/8. Leave empty to allow any."
    >
      <TextInput code value={draft.addresses} onChange={set('addresses')} autoComplete="off" />
    </Field>
  </div>
)

/** The option values by which `key change` removes each limit: "none" for the others. A key always has a name. */
const UNSET: Partial<Record<keyof KeyDraft, string>> = {
  name: '',
  models: 'all',
  concurrent_calls: 'any',
  expires: 'never',
  addresses: 'anywhere',
}

export const optionsFor = (draft: KeyDraft): string =>
  NAMES.map((name) => option(name, textOf(name, draft))).join('')

export const optionsForChanges = (draft: KeyDraft, names: readonly (keyof KeyDraft)[]): string =>
  NAMES.filter((name) => names.includes(name))
    .map((name) => option(name, textOf(name, draft) || (UNSET[name] ?? 'none')))
    .join('')

const textOf = (name: keyof KeyDraft, draft: KeyDraft): string =>
  name === 'models' || name === 'addresses' ? (listIn(draft[name])?.join(',') ?? '') : draft[name].trim()

const option = (name: keyof KeyDraft, text: string | undefined): string =>
  text ? ` --${OPTION_NAMES[name] ?? name.replaceAll('_', '-')} ${plainInShell(text)}` : ''

const OPTION_NAMES: Partial<Record<keyof KeyDraft, string>> = {
  five_hour_limit: 'limit-5h',
  daily_limit: 'limit-day',
  weekly_limit: 'limit-week',
  monthly_limit: 'limit-month',
}

const plainInShell = (word: string): string => (/^[\w.,:/@+-]+$/.test(word) ? word : shellQuote(word))
