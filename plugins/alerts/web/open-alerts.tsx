// Open alerts at the top of the Overview.
import { Link } from 'wouter'
import { countNoun } from '../../console/web/parts/amounts.ts'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import { Words } from '../../console/web/parts/words.tsx'
import { linkOf } from './action-link.ts'
import type { AlertsAnswer } from './recent-alerts.tsx'

type Alert = AlertsAnswer['open'][number]

/** Further alerts are shown as a count with a link to System. */
const MAX_NOTICES = 5
/** The Overview shows the state of these elsewhere. */
const SHOWN_ELSEWHERE = ['failing_model', 'failing_provider', 'failing_route', 'rejected_key']
/** Rules of problems that cost money or stop the gateway. */
const SEVERE_RULES = ['disk', 'certificate', 'backup']

export function OpenAlerts({ alerts }: { alerts: readonly Alert[] }) {
  const open = alerts.filter(({ rule }) => !SHOWN_ELSEWHERE.includes(rule))
  const rest = open.length - MAX_NOTICES
  return (
    <>
      {open.slice(0, MAX_NOTICES).map((alert) => (
        <Notice key={alert.id} tone={SEVERE_RULES.includes(alert.rule) ? 'bad' : 'warn'}>
          <Words>{alert.sentence}</Words>{' '}
          <span className="soft">
            Raised <Time at_ms={alert.raised_at_ms} />.
          </span>{' '}
          <ActionLink alert={alert} />
        </Notice>
      ))}
      {rest > 0 && (
        <Notice tone="warn">
          {countNoun(rest, 'more open alert')}. <Link href="/system">See all of them</Link>
        </Notice>
      )}
    </>
  )
}

function ActionLink({ alert }: { alert: Alert }) {
  const [href, words] = linkOf(alert)
  return <Link href={href}>{words}</Link>
}
