// The limits of an account or a key in force, and what counts against them now.

import { count } from '../../console/web/parts/amounts.ts'
import { Facts } from '../../console/web/parts/facts.tsx'
import type { KeyView } from '../console/views.ts'

type Limits = KeyView['limits']

const NAMES = [
  ['requests_per_minute', 'Requests in 60 seconds'],
  ['tokens_per_minute', 'Tokens in 60 seconds'],
  ['concurrent_calls', 'Concurrent requests'],
] as const satisfies (readonly [keyof Limits, string])[]

function LimitText({ limit }: { limit: Limits[keyof Limits] }) {
  if (!limit) return <span className="soft">no limit</span>
  return `${count(limit.used)} of ${count(limit.limit)}`
}

/** The limits, each with what is used of it. */
export function LimitFacts({ limits }: { limits: Limits }) {
  return (
    <Facts
      facts={NAMES.map(([name, title]) => [title, <LimitText key={name} limit={limits[name]} />] as const)}
    />
  )
}
