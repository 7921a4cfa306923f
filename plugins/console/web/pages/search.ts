// Search results of the server, as links to pages.

import { refusalReason } from '../../../refusals/web/refusals.ts'
import { api, send } from '../app/client.ts'
import type { Hit, Search } from '../app/page-entry.ts'
import { accountLabel } from '../parts/account-name.tsx'
import { keyPrefix } from '../parts/key-prefix.ts'
import { relativeTime } from '../parts/time-words.ts'

const MAX_CHARS = 100
const PREFIX_CHARS = 10

/** Of a pasted key, the browser sends only the prefix. The prefix of an imported key may also contain its last four characters. */
function queriesFor(words: string): [string, ...string[]] {
  if (!/^(tg_|sk-)/.test(words) || words.length <= PREFIX_CHARS) return [words.slice(0, MAX_CHARS)]
  const first = words.slice(0, PREFIX_CHARS)
  return words.startsWith('sk-') ? [first, `sk-...${words.slice(-4)}`] : [first]
}

const searchServer = (q: string) => send(api.search.get({ query: { q } }))

export const searchAll: Search = async (words) => {
  const [q, ...further] = queriesFor(words)
  let found = await searchServer(q)
  for (const other of further) if (found.keys.length === 0) found = await searchServer(other)
  const { accounts, keys, calls, providers, refusals, models } = found
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
        detail: `${keyPrefix(prefix)} of ${account}${status === 'active' ? '' : `, ${status}`}`,
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
