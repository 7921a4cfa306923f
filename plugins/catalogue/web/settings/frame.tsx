// The frame of the settings pages: the viewer's own settings first, then a page for each section of the gateway, for the operator.
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useMay } from '../../../console/web/app/session.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { Select } from '../../../console/web/parts/select.tsx'
import { AwaitedPage } from '../../../console/web/parts/states.tsx'
import { useSettings } from '../parts/schema-fields.tsx'
import { wordsOf } from './words.ts'

interface SettingsFrameProps {
  title: string
  lead?: ReactNode
  /** The section in the address; absent: the viewer's own settings. */
  section?: string
  children: ReactNode
}

export function SettingsFrame({ title, lead, section, children }: SettingsFrameProps) {
  const operates = useMay('operate')
  if (!operates) return <Page title={title}>{children}</Page>
  return <WithSections {...{ title, lead, section, children }} />
}

/** Waits for the list of sections: on a phone it would shift the page. */
function WithSections({ title, lead, section, children }: SettingsFrameProps) {
  const settings = useSettings()
  if (!settings.data) return <AwaitedPage title={title} query={settings} />
  return (
    <Page title={title} lead={lead}>
      <div className="settings">
        <Sections current={section} names={settings.data.sections.map(({ name }) => name)} />
        <div className="settings-section">{children}</div>
      </div>
    </Page>
  )
}

interface SectionsProps {
  current: string | undefined
  names: readonly string[]
}

/** A list of links; on a phone one row, from which a page is chosen. */
function Sections({ current, names }: SectionsProps) {
  const [, go] = useLocation()
  const pages = names
    .map((name) => ({ value: `/settings/${name}`, label: wordsOf(name).title }))
    .toSorted((one, other) => one.label.localeCompare(other.label))
  const all = [{ value: '/settings', label: 'Your settings' }, ...pages]
  const address = current === undefined ? '/settings' : `/settings/${current}`
  return (
    <nav aria-label="Settings" className="settings-sections">
      <Select aria-label="Settings page" options={all} value={address} onChange={go} />
      {all.map(({ value, label }) => (
        <Link key={value} href={value} aria-current={value === address ? 'page' : undefined}>
          {label}
        </Link>
      ))}
    </nav>
  )
}
