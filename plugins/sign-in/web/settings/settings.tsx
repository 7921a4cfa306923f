// The settings page of a person: profile, theme and time zone, password and sessions.
import { useState } from 'react'
import { SettingsFrame } from '../../../catalogue/web/settings/frame.tsx'
import type { SettingsEntry } from '../../../console/web/app/page-entry.ts'
import { useViewer, viewerKindOf } from '../../../console/web/app/session.tsx'
import { chooseTheme, chosenTheme, THEMES, type Theme } from '../../../console/web/app/theme.ts'
import { chooseZone, chosenZone, useZone, ZONES, type ZoneChoice } from '../../../console/web/app/zone.ts'
import { Choices } from '../../../console/web/parts/choices.tsx'
import { Facts } from '../../../console/web/parts/facts.tsx'
import { useAllLoaded, useLoaded } from '../../../console/web/parts/loaded.ts'
import { Section } from '../../../console/web/parts/page.tsx'
import { FailedState, Skeleton } from '../../../console/web/parts/states.tsx'
import { settings_parts } from '../../../page-parts.ts'
import { PasswordSection } from './password.tsx'
import { type Me, ProfileSection, useMe } from './profile.tsx'
import { SessionsSection, useSessions } from './sessions.tsx'

export default function Settings() {
  const viewer = useViewer()
  return (
    <SettingsFrame title="Settings">
      {viewer.side === 'key' ? <Sections /> : <PersonsSections />}
    </SettingsFrame>
  )
}

/** Renders once all parts are loaded: a late part would push down the parts below it. */
function PersonsSections() {
  const me = useMe()
  const sessions = useSessions(undefined)
  const is_loaded = useAllLoaded(PART_LOADS)
  if (me.error) return <FailedState failure={me.error} retry={() => void me.refetch()} />
  if (!me.data || sessions.isPending || !is_loaded) return <Skeleton rows={12} />
  return <Sections me={me.data} />
}

const PART_LOADS = settings_parts.map(({ load }) => load)

/** @param me absent for a session by key */
function Sections({ me }: { me?: Me }) {
  const viewer = useViewer()
  return (
    <>
      {me && <ProfileSection {...me} />}
      <DisplaySection />
      {me && <PasswordSection {...me} />}
      <SessionsSection />
      {settings_parts
        .filter(({ seen_by }) => seen_by.includes(viewerKindOf(viewer)))
        .map(({ name, load }) => (
          <Part key={name} load={load} />
        ))}
    </>
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
