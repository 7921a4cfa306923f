// What an action is about: an account, one of its keys, a model, a provider, a setting or a backup.
import { Link } from 'wouter'
import { AccountName } from '../../console/web/parts/account-name.tsx'
import type { ShownAction } from '../list.ts'

/** @param without_account where the page is about one */
export function About({ of, without_account }: { of: ShownAction; without_account?: boolean }) {
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
      {subject !== null && <Subject action={of.action} name={subject} />}
      {of.action === 'catalogue.saved' && <Version version={of.after?.version} />}
    </>
  )
}

/** What a saved catalogue changed, line by line. */
function Version({ version }: { version: unknown }) {
  if (typeof version !== 'number') return null
  return (
    <div>
      <Link href={`/catalogue/history/${version}`}>Version {version}</Link>
    </div>
  )
}

/** Linked while it is there. */
function Subject({ action, name }: { action: string; name: string }) {
  const [kind = '', change] = action.split('.')
  const page = change === 'removed' ? undefined : PAGES[kind]
  if (page === undefined) return <div className="audit-log-subject">{name}</div>
  return (
    <div>
      <Link href={`${page}/${encodeURIComponent(name)}`}>{name}</Link>
    </div>
  )
}

const PAGES: Readonly<Record<string, string>> = { model: '/models', price: '/models', provider: '/providers' }
