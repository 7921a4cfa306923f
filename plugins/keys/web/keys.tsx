// Page with the list of keys and the viewer’s own spend limits.

import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { ChosenAccount, useAccountScope } from '../../console/web/parts/account-choice.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { useOnlyOwnKeys } from '../../console/web/parts/only-own-keys.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { KeysList } from './keys-list.tsx'
import { closestLimit, LIMIT_NAMES, SpendLimitFacts } from './spend-limits.tsx'

const LEADS = {
  operator: 'Each key belongs to an account. Limit or revoke each one by itself.',
  account: 'Your programs call the gateway with a key. Limit or revoke each one by itself.',
  key: 'The keys of your account. Sign in with the account’s password to create or revoke one.',
}

export default function Keys() {
  const { side } = useViewer()
  const own_keys = useOnlyOwnKeys()
  const scope = useAccountScope()
  return (
    <Page
      title="Keys"
      lead={own_keys ?? LEADS[side]}
      actions={scope.account !== undefined && <ChosenAccount {...scope} />}
    >
      <KeysList chosen={scope.account} />
      <OwnLimits />
    </Page>
  )
}

/** Hidden if the viewer has no limit. */
function OwnLimits() {
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
