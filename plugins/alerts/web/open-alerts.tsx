// Open alerts at the top of the Overview.
import { Link } from 'wouter'
import { part } from '../../console/web/app/client.ts'
import { counted } from '../../console/web/parts/amounts.ts'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import { Words } from '../../console/web/parts/words.tsx'
import type { AlertsAnswer } from './recent-alerts.tsx'

type Alert = AlertsAnswer['open'][number]

/** The rest is a number, with a link to System. */
const MAX_NOTICES = 5
/** The Overview has the present state of these by itself. */
const ELSEWHERE = ['failing_model', 'failing_provider', 'failing_route', 'rejected_key']
/** These cost or stop something now. */
const BAD = ['disk', 'certificate', 'backup']

export function OpenAlerts({ alerts }: { alerts: readonly Alert[] }) {
  const open = alerts.filter(({ rule }) => !ELSEWHERE.includes(rule))
  const rest = open.length - MAX_NOTICES
  return (
    <>
      {open.slice(0, MAX_NOTICES).map((alert) => (
        <Notice key={alert.id} tone={BAD.includes(alert.rule) ? 'bad' : 'warn'}>
          <Words>{alert.sentence}</Words>{' '}
          <span className="soft">
            Since <Time at_ms={alert.raised_at_ms} />.
          </span>{' '}
          <Way to={alert} />
        </Notice>
      ))}
      {rest > 0 && (
        <Notice tone="warn">
          {counted(rest, 'more open alert')}. <Link href="/system">See all of them</Link>
        </Notice>
      )}
    </>
  )
}

/** The page on which the operator can act on it. */
function Way({ to }: { to: Alert }) {
  const [href, words] = wayOf(to)
  return <Link href={href}>{words}</Link>
}

function wayOf({ rule, subject, account_id }: Alert): readonly [href: string, words: string] {
  switch (rule) {
    case 'low_balance':
    case 'account_spend':
      // By its number: it may be called otherwise by now.
      return [`/accounts/${account_id ?? part(subject)}`, `Open ${subject}`]
    case 'key_spend':
      return [`/keys?search=${part(subject)}`, 'Open the key']
    case 'payment':
      return subject.startsWith('order ')
        ? [`/orders/${part(subject.slice('order '.length))}`, `Open ${subject}`]
        : ['/payments', 'Open payments']
    case 'mail':
      return ['/system/mails?state=failed', 'Open mails']
    case 'sign_up':
      return ['/sign-ups', 'Open sign-ups']
    default:
      return ['/system', 'Open System']
  }
}
