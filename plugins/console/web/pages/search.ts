// The search: what the server finds, as links to pages.

import { refusalReason } from '../../../refusals/web/refusals.ts'
import { api, send } from '../app/client.ts'
import type { Hit, Search } from '../app/page-entry.ts'
import { accountLabel } from '../parts/account-name.tsx'
import { relativeTime } from '../parts/time-words.ts'

const MAX_CHARS = 100
/** Of a key that was pasted whole only its prefix leaves the browser. */
const PREFIX_CHARS = 10

export const searchAll: Search = async (words) => {
  const q = words.startsWith('tg_') ? words.slice(0, PREFIX_CHARS) : words.slice(0, MAX_CHARS)
  const { accounts, keys, calls, providers, refusals, models } = await send(api.search.get({ query: { q } }))
  return [
    ...accounts.map(
      ({ id, name, display_name, status }): Hit => ({
        kind: 'account',
        label: accountLabel({ name, display_name }),
        detail: status === 'active' ? undefined : status,
        href: `/accounts/${id}`,
      }),
    ),
    ...keys.map(
      ({ id, name, prefix, account, status }): Hit => ({
        kind: 'key',
        label: name,
        detail: `${prefix}… of ${account}${status === 'active' ? '' : `, ${status}`}`,
        href: `/keys/${id}`,
      }),
    ),
    ...calls.map(
      ({ request_id, model, started_at_ms }): Hit => ({
        kind: 'call',
        label: request_id,
        detail: `${model}, ${relativeTime(started_at_ms, Date.now())}`,
        href: `/calls/${encodeURIComponent(request_id)}`,
      }),
    ),
    ...refusals.map(
      ({ request_id, code, refused_at_ms }): Hit => ({
        kind: 'refused request',
        label: request_id,
        detail: `${refusalReason(code)}, ${relativeTime(refused_at_ms, Date.now())}`,
        href: `/calls/${encodeURIComponent(request_id)}`,
      }),
    ),
    ...models.map(
      ({ id, name, kind }): Hit => ({
        kind: 'model',
        label: id,
        detail: name === id ? kind : `${name}, ${kind}`,
        href: `/models/${encodeURIComponent(id)}`,
      }),
    ),
    ...providers.map(
      ({ name }): Hit => ({
        kind: 'provider',
        label: name,
        href: `/providers/${encodeURIComponent(name)}`,
      }),
    ),
  ]
}
