// Side bar: the pages, and the signed-in viewer. Icons alone on a tablet, a drawer on a phone.
import { BookOpen, Keyboard, LogOut, Monitor, Moon, Search, Sun } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { pages } from '../../../pages.ts'
import { SwitchAccount } from '../../../teams/web/switch-account.tsx'
import { BrandLinks, BrandMark } from '../parts/brand.tsx'
import { Button } from '../parts/button.tsx'
import { Menu } from '../parts/menu.tsx'
import { addressOf } from './gateway-address.ts'
import type { PageEntry, PageGroup } from './page-entry.ts'
import { useMatch, usePath } from './routes.tsx'
import { useSignOut, useViewer, type Viewer } from './session.tsx'
import { chooseTheme, chosenTheme, THEMES, type Theme } from './theme.ts'
import { toast } from './toasts.tsx'

interface SideBarProps {
  groups: readonly PageGroup[]
  onSearch: () => void
  onHelp: () => void
  /** Called when a page is chosen, to close the drawer. */
  onChosen?: () => void
}

export const Brand = () => (
  <Link className="brand" href="/">
    <BrandMark />
  </Link>
)

export function SideBar({ groups, onSearch, onHelp, onChosen }: SideBarProps) {
  const path = usePath()
  const home = groups[0]?.pages[0]?.path
  const below = useMatch(pages)?.entry.below
  const isHere = (entry: PageEntry): boolean =>
    path === entry.path || path.startsWith(`${entry.path}/`) || entry.path === (path === '/' ? home : below)
  return (
    <aside className="side-bar" aria-label="Console">
      <Brand />
      <button type="button" className="side-link" title="Search" onClick={onSearch}>
        <Search className="icon" aria-hidden />
        <span className="side-word">Search</span>
        <kbd aria-hidden>/</kbd>
      </button>
      <nav aria-label="Pages">
        {groups.map(({ title, pages: entries }) => (
          <ul key={title} aria-label={title}>
            {entries.map((entry) => (
              <li key={entry.path}>
                <Link
                  className="side-link"
                  href={entry.path}
                  title={entry.title}
                  aria-current={isHere(entry) ? 'page' : undefined}
                  onClick={onChosen}
                >
                  {entry.icon && <entry.icon className="icon" aria-hidden />}
                  <span className="side-word">{entry.title}</span>
                </Link>
              </li>
            ))}
          </ul>
        ))}
      </nav>
      {/* Outside of the console: it needs no session. */}
      <a
        className="side-link"
        href={addressOf('/docs')}
        title="API reference"
        target="_blank"
        rel="noreferrer"
      >
        <BookOpen className="icon" aria-hidden />
        <span className="side-word">API reference</span>
      </a>
      <BrandLinks className="side-about" />
      <SideFoot onHelp={onHelp} />
    </aside>
  )
}

const ROLES: Readonly<Record<Viewer['role'], string>> = {
  operator: 'Operator',
  support: 'Support',
  auditor: 'Auditor',
  owner: 'Owner',
  member: 'Member',
  billing: 'Billing',
  key: 'API key',
}

/** The first operator is named "operator" until they set a name. */
const isUnnamed = ({ role, person }: Viewer): boolean => role === 'operator' && person?.name === 'operator'

/** "Support"; "Owner of alice" for a person whose name differs from the account's. */
const roleOf = ({ role, account, person }: Viewer): string =>
  account === null || person?.name === account ? ROLES[role] : `${ROLES[role]} of ${account}`

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon }

function SideFoot({ onHelp }: Pick<SideBarProps, 'onHelp'>) {
  const viewer = useViewer()
  const signOut = useSignOut()
  const [theme, setTheme] = useState<Theme>(chosenTheme)
  const leave = () => {
    signOut().catch((failure: unknown) => toast({ tone: 'bad', text: String(failure) }))
  }
  return (
    <div className="side-foot">
      <div
        className="side-who"
        title={[viewer.person?.email, viewer.account].filter((text) => text != null).join(', ') || undefined}
      >
        <div>{isUnnamed(viewer) ? 'Operator' : (viewer.person?.name ?? viewer.account)}</div>
        <div className="small soft">
          {viewer.key ? `by key ${viewer.key.prefix}` : !isUnnamed(viewer) && roleOf(viewer)}
        </div>
      </div>
      <SwitchAccount />
      <Menu
        label="Theme"
        trigger={<Button look="quiet" icon={THEME_ICONS[theme]} aria-label="Theme" />}
        items={THEMES.map(({ value, label }) => ({
          label,
          icon: THEME_ICONS[value],
          onSelect: () => {
            chooseTheme(value)
            setTheme(value)
          },
        }))}
      />
      <Button look="quiet" icon={Keyboard} aria-label="Shortcuts" onClick={onHelp} />
      <Button look="quiet" icon={LogOut} aria-label="Sign out" onClick={leave} />
    </div>
  )
}
