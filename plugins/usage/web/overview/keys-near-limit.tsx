// The account's keys that have used 80 % or more of a spend limit, at the top of its overview.
import { Link } from 'wouter'
import { api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { closestLimit, LimitWarning } from '../../../keys/web/spend-limits.tsx'

/** Of the newest keys that work. */
const LOOKED_AT = 50

export function KeysNearLimit() {
  const query = { status: 'usable', limit: LOOKED_AT } as const
  const { data } = useApi(['keys', query], () => api.keys.get({ query }))
  const near = (data?.keys ?? []).filter(({ spend_limits }) => closestLimit(spend_limits))
  return near.map(({ id, name, spend_limits }) => (
    <LimitWarning
      key={id}
      limits={spend_limits}
      who={
        <>
          The key <Link href={`/keys/${id}`}>{name}</Link>
        </>
      }
    />
  ))
}
