// Links to accounts and keys with their own rate limits.
import { Link } from 'wouter'
import { Facts } from '../../../console/web/parts/facts.tsx'
import { keyPrefix } from '../../../console/web/parts/key-prefix.ts'
import { Section } from '../../../console/web/parts/page.tsx'
import { type Block, blockAt } from '../parts/values.ts'

export function OwnLimits({ limits }: { limits: Block }) {
  const linksOf = (list: string, hrefOf: (name: string) => string) => {
    const names = Object.keys(blockAt(limits, list))
    const links = names.map((name) => (
      <Link key={name} href={hrefOf(encodeURIComponent(name))}>
        {list === 'keys' ? <code>{keyPrefix(name)}</code> : name}
      </Link>
    ))
    return names.length > 0 && <span className="row">{links}</span>
  }
  const accounts = linksOf('accounts', (name) => `/accounts/${name}?tab=limits`)
  const keys = linksOf('keys', (prefix) => `/keys?search=${prefix}`)
  if (!accounts && !keys) return null
  return (
    <Section title="Limits of single accounts and keys">
      <Facts
        facts={[
          ['Accounts', accounts],
          ['Keys', keys],
        ]}
      />
    </Section>
  )
}
