// Models and providers that answered nothing in the last hour, or the last day.
import type { Static } from '@sinclair/typebox'
import { Link } from 'wouter'
import { part } from '../../console/web/app/client.ts'
import { count } from '../../console/web/parts/amounts.ts'
import { healthSentence, LastFailureWords } from '../../console/web/parts/health.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import type { FailingView } from '../console-views.ts'

type Failing = Static<typeof FailingView>

/** Of more, the rest is a number: the pages Models and Providers have all of them. */
const MAX_SHOWN = 5

export function Unhealthy({ failing }: { failing: readonly Failing[] }) {
  const rest = failing.length - MAX_SHOWN
  return (
    <>
      {failing.slice(0, MAX_SHOWN).map(({ kind, name, health, last_failure }) => (
        <Notice key={`${kind} ${name}`} tone="bad">
          <Link href={`/${kind}s/${part(name)}`}>
            {kind === 'model' ? 'Model' : 'Provider'} {name}
          </Link>{' '}
          is failing. {healthSentence(health, kind === 'model' ? 'calls' : 'requests')}{' '}
          {last_failure && <LastFailureWords of={last_failure} />}
        </Notice>
      ))}
      {rest > 0 && (
        <Notice tone="bad">
          {count(rest)} more {rest === 1 ? 'is' : 'are'} failing: see <Link href="/models">Models</Link> and{' '}
          <Link href="/providers">Providers</Link>.
        </Notice>
      )}
    </>
  )
}
