// The cells of an action: its subject, its actor, and each changed field with its values before and after.
import { Link } from 'wouter'
import { AccountName } from '../../console/web/parts/account-name.tsx'
import { countNoun } from '../../console/web/parts/amounts.ts'
import { capital } from '../../console/web/parts/capital.ts'
import { exactTime } from '../../console/web/parts/time-words.ts'
import type { ActionListRow } from '../list.ts'

const ACTOR_LABELS: Record<ActionListRow['by'], string> = {
  operator: 'Staff',
  account: 'Account',
  key: 'API key',
  command: 'Command line',
  system: 'System',
}

export function By(action: ActionListRow) {
  const detail = detailOf(action)
  return (
    <>
      {ACTOR_LABELS[action.by]}
      {detail !== '' && <div className="small soft">{detail}</div>}
    </>
  )
}

function detailOf(action: ActionListRow): string {
  const { by, command, machine_user, session_id, address } = action
  if (command !== null)
    return machine_user === null ? `tollgate ${command}` : `${machine_user}: tollgate ${command}`
  // Of erased people only the account is known.
  const person = action.person ?? (by === 'account' ? action.account : null)
  const name = person?.toLowerCase() === ACTOR_LABELS[by].toLowerCase() ? null : person
  const who = name !== null && action.person_email !== null ? `${name} (${action.person_email})` : name
  const session = session_id === null ? null : `session ${session_id}`
  return [who, session, address].filter((part) => part !== null).join(', ')
}

type Fields = ActionListRow['before']

/** More fields, or longer ones, are collapsed. */
const MAX_IN_VIEW = 3
const MAX_CHARS_IN_VIEW = 160

export function Changes({ action, before, after }: Pick<ActionListRow, 'action' | 'before' | 'after'>) {
  const lines = changeLines(before, after, action === 'price.changed' ? '_usd' : '')
  if (lines.length === 0) return null
  const list = (
    <ul className="audit-log-changes">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
  if (lines.length <= MAX_IN_VIEW && lines.every((line) => line.length <= MAX_CHARS_IN_VIEW)) return list
  return (
    <details>
      <summary>{countNoun(lines.length, 'field')}</summary>
      {list}
    </details>
  )
}

/** "Balance: from 10.00 USD to 15.00 USD"; for a field with one value only, that value. */
function changeLines(before: Fields, after: Fields, unit: string): string[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names.map((field) => {
    const [was, is] = [before?.[field], after?.[field]]
    const name = field + unit
    const is_change = before !== null && after !== null && was !== undefined && !isSame(was, is)
    // A time or a text that was empty before is shown without "from".
    if ((was === null && name.endsWith('_at')) || (was === '' && is !== undefined))
      return `${labelOf(name)}: ${textOf(name, is)}`
    const value = is === undefined ? was : is
    const text = is_change ? `from ${textOf(name, was)} to ${textOf(name, is)}` : textOf(name, value)
    return `${labelOf(name)}: ${text}`
  })
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const LABELS: Readonly<Record<string, string>> = { last4: 'Last digits', by: 'Signed in by' }

function labelOf(name: string): string {
  return LABELS[name] ?? capital(name.replace(/_(usd|at)$/, '').replaceAll('_', ' '))
}

function textOf(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : value.map((each) => textOf('', each)).join(', ')
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([part, each]) => `${labelOf(part).toLowerCase()} ${textOf(part, each)}`)
      .join(', ')
  // To the cent, rounded down: never more than the balance.
  if (name === 'balance_usd') return `${String(value).replace(/(\.\d\d)\d+$/, '$1')} USD`
  if (name.endsWith('_usd')) return `${value} USD`
  return typeof value === 'string' && TIME.test(value) ? exactTime(Date.parse(value)) : String(value)
}

/** Times in the form of the audit log, in fields of any name: `expires_at`, `until`. */
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/

interface AboutProps {
  of: ActionListRow
  /** True on the page of an account. */
  without_account: boolean
  settingName?: ((path: string) => string) | undefined
}

const pathName = (path: string): string => labelOf(path.replaceAll('.', ': '))

export function About({ of, without_account, settingName = pathName }: AboutProps) {
  const { account, account_display_name, account_id, key_name, key_id, subject } = of
  return (
    <>
      {account_id !== null && !without_account && (
        <div>
          <Link href={`/accounts/${account_id}`}>
            <AccountName name={account ?? ''} display_name={account_display_name} />
          </Link>
        </div>
      )}
      {key_id !== null && (
        <div>
          <Link href={`/keys/${key_id}`}>
            {key_name}
            <span className="unseen"> of {account}</span>
          </Link>
        </div>
      )}
      {subject !== null && <Subject action={of.action} name={subject} settingName={settingName} />}
      {of.action === 'catalogue.saved' && <Version version={of.after?.version} />}
    </>
  )
}

function Version({ version }: { version: unknown }) {
  if (typeof version !== 'number') return null
  return (
    <div>
      <Link href={`/system/configuration/history/${version}`}>Version {version}</Link>
    </div>
  )
}

interface SubjectProps {
  action: string
  name: string
  settingName: (path: string) => string
}

/** The subject, with a link unless it was removed. */
function Subject({ action, name, settingName }: SubjectProps) {
  const [kind = '', change] = action.split('.')
  const page = change === 'removed' ? undefined : PAGES[kind]
  const noun = NUMBERED[kind]
  const words = noun === undefined ? name : `${noun} ${name}`
  if (kind === 'setting') return <Link href={`/settings/${name.split('.')[0]}`}>{settingName(name)}</Link>
  if (page === undefined) return <div className="audit-log-subject">{words}</div>
  return (
    <div>
      <Link href={`${page}${encodeURIComponent(name)}`}>{words}</Link>
    </div>
  )
}

/** Kinds whose subject is a number, such as "Order 5". */
const NUMBERED: Readonly<Record<string, string>> = { order: 'Order', voucher: 'Batch' }

const PAGES: Readonly<Record<string, string>> = {
  call: '/calls/',
  model: '/models/',
  order: '/orders/',
  price: '/models/',
  provider: '/providers/',
  voucher: '/vouchers?tab=vouchers&batch=',
}
