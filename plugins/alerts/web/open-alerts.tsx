// The alerts that are open, at the top of the Overview: each once, until it is over.
import { Link } from 'wouter'
import { part } from '../../console/web/app/client.ts'
import { count } from '../../console/web/parts/amounts.ts'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import type { Overview } from '../../console/web/pages/overview/overview-answer.ts'

type Alert = NonNullable<Overview['alerts']>[number]

/** Of more, the rest is a number: the page System has all of them. */
const MAX_SHOWN = 5
/** The Overview shows these as they are at the moment. */
const SHOWN_ELSEWHERE = ['failing_model', 'failing_provider']
/** What costs or stops something now. */
const BAD = ['failing_route', 'disk', 'certificate', 'backup']

export function OpenAlerts({ alerts }: { alerts: readonly Alert[] }) {
  const open = alerts.filter(({ rule }) => !SHOWN_ELSEWHERE.includes(rule))
  const rest = open.length - MAX_SHOWN
  return (
    <>
      {open.slice(0, MAX_SHOWN).map((alert) => (
        <Notice key={alert.id} tone={BAD.includes(alert.rule) ? 'bad' : 'warn'}>
          {alert.sentence}{' '}
          <span className="soft">
            Since <Time at_ms={alert.raised_at_ms} />.
          </span>{' '}
          <Way to={alert} />
        </Notice>
      ))}
      {rest > 0 && (
        <Notice tone="warn">
          {count(rest)} more {rest === 1 ? 'alert is' : 'alerts are'} open.{' '}
          <Link href="/system">See all of them</Link>
        </Notice>
      )}
    </>
  )
}

/** Where something can be done about it. */
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
    case 'failing_route':
      return [`/models/${part(subject.split(' ', 1).join(''))}`, 'Open the model']
    default:
      return ['/system', 'Open System']
  }
}
