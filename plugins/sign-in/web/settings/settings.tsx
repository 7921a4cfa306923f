// The settings of a person: theme, password and sessions.
import { useState } from 'react'
import { useViewer } from '../../../console/web/app/session.tsx'
import { chooseTheme, chosenTheme, THEMES, type Theme } from '../../../console/web/app/theme.ts'
import { Choices } from '../../../console/web/parts/choices.tsx'
import { Page, Section } from '../../../console/web/parts/page.tsx'
import { PasswordSection } from './password.tsx'
import { SessionsSection } from './sessions.tsx'

export default function Settings() {
  const viewer = useViewer()
  return (
    <Page title="Settings">
      <ThemeSection />
      {viewer.role !== 'key' && <PasswordSection account={viewer.account} />}
      <SessionsSection />
    </Page>
  )
}

function ThemeSection() {
  const [theme, setTheme] = useState(chosenTheme)
  const choose = (chosen: Theme): void => {
    chooseTheme(chosen)
    setTheme(chosen)
  }
  return (
    <Section title="Theme">
      <Choices label="Theme" options={THEMES} value={theme} onChange={choose} />
    </Section>
  )
}
