// Open alerts at the top of the Overview.
import { Link } from 'wouter'
import { counted } from '../../console/web/parts/amounts.ts'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import { Words } from '../../console/web/parts/words.tsx'
import { wayOf } from './alert-way.ts'
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
