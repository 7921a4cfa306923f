// The limits of an account or a key in force, and what counts against them now.
import type { ShownKey } from '../../api/keys-views.ts'
import { count } from './amounts.ts'
import { Facts } from './facts.tsx'

type Limits = ShownKey['limits']

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
