// The settings of a person: theme and time zone, password and sessions.
import { useState } from 'react'
import { SettingsFrame } from '../../../catalogue/web/settings/frame.tsx'
import type { SettingsEntry } from '../../../console/web/app/page-entry.ts'
import { sightOf, useViewer } from '../../../console/web/app/session.tsx'
import { chooseTheme, chosenTheme, THEMES, type Theme } from '../../../console/web/app/theme.ts'
import { chooseZone, chosenZone, useZone, ZONES, type ZoneChoice } from '../../../console/web/app/zone.ts'
import { Choices } from '../../../console/web/parts/choices.tsx'
import { Facts } from '../../../console/web/parts/facts.tsx'
import { useLoaded } from '../../../console/web/parts/loaded.ts'
import { Section } from '../../../console/web/parts/page.tsx'
import { settings_parts } from '../../../page-parts.ts'
import { PasswordSection } from './password.tsx'
import { ProfileSection } from './profile.tsx'
import { SessionsSection } from './sessions.tsx'

export default function Settings() {
  const viewer = useViewer()
  return (
    <SettingsFrame title="Settings">
      {viewer.side !== 'key' && <ProfileSection />}
      <DisplaySection />
      {viewer.side !== 'key' && <PasswordSection account={viewer.account} />}
      <SessionsSection />
      {settings_parts
        .filter(({ seen_by }) => seen_by.includes(sightOf(viewer)))
        .map(({ name, load }) => (
          <Part key={name} load={load} />
        ))}
    </SettingsFrame>
  )
}

function Part({ load }: Pick<SettingsEntry, 'load'>) {
  const Loaded = useLoaded(load)
  return Loaded && <Loaded />
}

function DisplaySection() {
  const [theme, setTheme] = useState(chosenTheme)
  const [zone_choice, setZoneChoice] = useState(chosenZone)
  const zone = useZone()
  const changeTheme = (chosen: Theme): void => {
    chooseTheme(chosen)
    setTheme(chosen)
  }
  const changeZone = (chosen: ZoneChoice): void => {
    chooseZone(chosen)
    setZoneChoice(chosen)
  }
  return (
    <Section title="Display">
      <Facts
        facts={[
          [
            'Theme',
            <Choices key="theme" label="Theme" options={THEMES} value={theme} onChange={changeTheme} />,
          ],
          [
            'Time zone',
            <div key="zone">
              <Choices label="Time zone" options={ZONES} value={zone_choice} onChange={changeZone} />
              <p className="small soft">Times and days are in {zone} on all pages and in CSV files.</p>
            </div>,
          ],
        ]}
      />
    </Section>
  )
}
