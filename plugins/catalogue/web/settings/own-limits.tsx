// Links to accounts and keys with their own rate limits.
import { Link } from 'wouter'
import { Facts } from '../../../console/web/parts/facts.tsx'
import { keyPrefix } from '../../../console/web/parts/key-prefix.ts'
import { Section } from '../../../console/web/parts/page.tsx'
import { type Block, blockAt } from '../parts/values.ts'

export function OwnLimits({ limits }: { limits: Block }) {
  const accounts = Object.keys(blockAt(limits, 'accounts'))
  const keys = Object.keys(blockAt(limits, 'keys'))
  if (accounts.length + keys.length === 0) return null
  return (
    <Section title="Limits of single accounts and keys">
      <Facts
        facts={[
          [
            'Accounts',
            accounts.length > 0 && (
              <span key="accounts" className="row">
                {accounts.map((name) => (
                  <Link key={name} href={`/accounts/${encodeURIComponent(name)}?tab=limits`}>
                    {name}
                  </Link>
                ))}
              </span>
            ),
          ],
          [
            'Keys',
            keys.length > 0 && (
              <span key="keys" className="row">
                {keys.map((prefix) => (
                  <Link key={prefix} href={`/keys?search=${encodeURIComponent(prefix)}`}>
                    <code>{keyPrefix(prefix)}</code>
                  </Link>
                ))}
              </span>
            ),
          ],
        ]}
      />
    </Section>
  )
}
