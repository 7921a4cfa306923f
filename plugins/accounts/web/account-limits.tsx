// The limits of an account in force, and where they are set.
import { Link } from 'wouter'
import { Code } from '../../console/web/parts/code.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { LimitFacts } from '../../keys/web/limit-facts.tsx'
import type { AccountView } from '../console/views.ts'

export function AccountLimits({ account }: { account: AccountView }) {
  return (
    <div className="stack">
      <LimitFacts limits={account.limits} />
      <Section title="Set them">
        <p className="soft">
          Rate limits are set in <Link href="/catalogue">the catalogue</Link>: for every account under{' '}
          <code>[limits.account]</code>, for this account under its name. Spend limits are set on each key.
        </p>
        <Code what="section of the catalogue">{`${account.limits_section}\nrequests_per_minute = 60`}</Code>
      </Section>
    </div>
  )
}
