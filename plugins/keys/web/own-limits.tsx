// The viewer's own spend limits in the account: what is left of each, and when it resets.
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { closestLimit, LIMIT_NAMES, SpendLimitFacts } from './spend-limits.tsx'

/** Nothing for people without a limit. */
export function OwnLimits() {
  const { side } = useViewer()
  const { data } = useApi(['own-limits'], () => api.session.limits.get(), { enabled: side === 'account' })
  if (!data || data.spend_limits.length === 0) return null
  const closest = closestLimit(data.spend_limits)
  return (
    <Section title="Your spend limits">
      <p className="soft">Of all your API keys together, set by an owner of the account or the operator.</p>
      {closest && (
        <Notice tone="warn">
          {closest.state === 'reached'
            ? `You have reached your ${LIMIT_NAMES[closest.period]}. Calls are refused until it resets; an owner can raise it.`
            : `You have used most of your ${LIMIT_NAMES[closest.period]}. Calls beyond it are refused; an owner can raise it.`}
        </Notice>
      )}
      <SpendLimitFacts limits={data.spend_limits} />
    </Section>
  )
}
