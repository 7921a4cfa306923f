// Current rate limits of an account or a key, with their use.

import { count } from '../../console/web/parts/amounts.ts'
import { Facts } from '../../console/web/parts/facts.tsx'
import type { KeyView } from '../console/views.ts'

type Limits = KeyView['limits']

const NAMES = [
  ['requests_per_minute', 'Requests in 60 seconds'],
  ['tokens_per_minute', 'Tokens in 60 seconds'],
  ['concurrent_calls', 'Concurrent requests'],
] as const satisfies (readonly [keyof Limits, string])[]

export function LimitFacts({ limits }: { limits: Limits }) {
  const facts = NAMES.flatMap(([name, title]) => {
    const limit = limits[name]
    return limit ? [[title, `${count(limit.used)} of ${count(limit.limit)}`] as const] : []
  })
  return facts.length === 0 ? <p className="soft">No rate limit.</p> : <Facts facts={facts} />
}
