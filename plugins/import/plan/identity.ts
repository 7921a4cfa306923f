// Identities of rows, to recognize them in a later import, and their amounts and limits that have changed since.
import { HIDDEN_PREFIX, isImportedPrefix } from '../../../src/access/secret.ts'
import { formatUsd, type Nanos } from '../../../src/domain/money.ts'
import type { IncomingAccount, IncomingKey } from '../move-in.ts'
import type { ImportedRow } from '../tables.ts'
import { isGuessableKey } from './guessable-keys.ts'

/** Half of a digest is enough to recognize another database. */
const digest = (text: string): string =>
  text === '' ? '-' : new Bun.CryptoHasher('sha256').update(text.toLowerCase()).digest('hex').slice(0, 32)

/** Digests of the account's name and email. */
export const accountIdentity = ({ name, email }: Pick<IncomingAccount, 'name' | 'email'>): string =>
  `${digest(name)} ${digest(email.trim())}`

/** A digest of the key's hash, so that the hash itself stays in a single place. */
export const keyIdentity = ({ sha256 }: Pick<IncomingKey, 'sha256'>): string => digest(sha256.toString('hex'))

/** The prefix for lists. Hidden for guessable keys: the end of a short key reveals too much. */
export const prefixOf = ({ prefix, sha256 }: Pick<IncomingKey, 'prefix' | 'sha256'>): string =>
  isImportedPrefix(prefix) && !isGuessableKey(sha256) ? prefix : HIDDEN_PREFIX

type Content = Readonly<Record<string, unknown>>

/** @param balance_nanos the credited amount, if the source has no total */
export const accountContent = (
  { status, balance_nanos: own, budgets, limits }: IncomingAccount,
  balance_nanos: Nanos | undefined,
): Content => ({ status, balance_nanos: own ?? balance_nanos ?? null, ...budgets, ...limits })

export const keyContent = ({
  expires_at_ms,
  spend_limit_nanos,
  models,
  budgets,
  limits,
}: IncomingKey): Content => ({
  expires_at_ms,
  spend_limit_nanos,
  models,
  ...budgets,
  ...limits,
})

/** A value that has changed in the source since the import. */
export interface ChangedValue {
  readonly row: string
  readonly field: string
  readonly was: string
  readonly is: string
}

/** Returns changes in the source that a later import does not apply. */
export function changesOf(source_id: string, { content, kind }: ImportedRow, now: Content): ChangedValue[] {
  const before: Content = JSON.parse(content)
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return names.flatMap((field) => {
    const [was, is] = [before[field], now[field]]
    // --opening-balance credited a balance that the source does not have.
    if (field === 'balance_nanos' && kind === 'account' && is === null) return []
    if (JSON.stringify(was ?? null) === JSON.stringify(is ?? null)) return []
    return [{ row: source_id, field: labelOf(field), was: words(field, was), is: words(field, is) }]
  })
}

const LABELS: Readonly<Record<string, string>> = {
  balance_nanos: 'balance',
  spend_limit_nanos: 'spend limit',
  expires_at_ms: 'expiry',
  '5h': 'limit of five hours',
  day: 'limit of a day',
  week: 'limit of a week',
  month: 'limit of a month',
}
const labelOf = (field: string): string => LABELS[field] ?? field.replaceAll('_', ' ')

function words(field: string, value: unknown): string {
  if (value === null || value === undefined) return 'none'
  const is_amount = field.endsWith('_nanos') || ['5h', 'day', 'week', 'month'].includes(field)
  if (is_amount) return `${formatUsd(Number(value))} USD`
  if (field.endsWith('_ms')) return new Date(Number(value)).toISOString().slice(0, 10)
  return Array.isArray(value) ? value.join(', ') : String(value)
}
