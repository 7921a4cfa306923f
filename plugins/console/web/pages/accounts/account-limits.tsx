// The limits of an account in force, what counts against them now, and where they are set.
import type { ShownAccount } from '../../../api/accounts-views.ts'
import { count } from '../../parts/amounts.ts'
import { Code } from '../../parts/code.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Section } from '../../parts/page.tsx'

export type Limits = ShownAccount['limits']

const NAMES = [
  ['requests_per_minute', 'Requests in 60 seconds'],
  ['tokens_per_minute', 'Tokens in 60 seconds'],
  ['concurrent_calls', 'Calls at once'],
] as const satisfies (readonly [keyof Limits, string])[]

/** The limits that are set, each with what is used of it. */
export function LimitFacts({ limits }: { limits: Limits }) {
  const facts = NAMES.map(([name, title]) => {
    const limit = limits[name]
    const value = limit ? `${count(limit.used)} of ${count(limit.limit)}` : <span className="soft">not limited</span>
    return [title, value] as const
  })
  return <Facts facts={facts} />
}

export function AccountLimits({ account }: { account: ShownAccount }) {
  return (
    <div className="stack">
      <LimitFacts limits={account.limits} />
      <Section title="Set them">
        <p className="soft">
          Limits of calls stand in the catalogue: for every account under <code>[limits.account]</code>, for this one under
          its name. What a key may spend is set with the key.
        </p>
        <Code what="section of the catalogue">{`${account.limits_section}\nrequests_per_minute = 60`}</Code>
      </Section>
    </div>
  )
}
