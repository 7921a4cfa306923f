// The side bar: the pages, by words with icons, and who is signed in. On a phone it is a drawer.
import {
  BookOpen,
  CircleUserRound,
  Keyboard,
  LogOut,
  Monitor,
  Moon,
  Search,
  Sun,
  TrafficCone,
} from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../parts/button.tsx'
import { Menu } from '../parts/menu.tsx'
import type { PageEntry, PageGroup } from './page-entry.ts'
import { addressOf } from './place.ts'
import { usePath } from './routes.tsx'
import { useSignOut, useViewer } from './session.tsx'
import { chooseTheme, chosenTheme, THEMES, type Theme } from './theme.ts'
import { toast } from './toasts.tsx'

interface SideBarProps {
  groups: readonly PageGroup[]
  onSearch: () => void
  onHelp: () => void
  /** A page was chosen: the drawer closes. */
  onChosen?: () => void
}

export const Brand = () => (
  <Link className="brand" href="/">
    <TrafficCone aria-hidden /> Tollgate
  </Link>
)

export function SideBar({ groups, onSearch, onHelp, onChosen }: SideBarProps) {
  const path = usePath()
  const home = groups[0]?.pages[0]?.path
  const isHere = (entry: PageEntry): boolean =>
    path === entry.path || path.startsWith(`${entry.path}/`) || (path === '/' && entry.path === home)
  return (
    <aside className="side-bar" aria-label="Console">
      <Brand />
      <button type="button" className="side-link" onClick={onSearch}>
        <Search className="icon" aria-hidden />
        Search
        <kbd aria-hidden>/</kbd>
      </button>
      <nav aria-label="Pages">
        {groups.map(({ title, pages }) => (
          <div key={title}>
            <p className="side-group" aria-hidden>
              {title}
            </p>
            <ul aria-label={title}>
              {pages.map((entry) => (
                <li key={entry.path}>
                  <Link
                    className="side-link"
                    href={entry.path}
                    aria-current={isHere(entry) ? 'page' : undefined}
                    onClick={onChosen}
                  >
                    {entry.icon && <entry.icon className="icon" aria-hidden />}
                    {entry.title}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {/* Not a page of the console: it needs no session. */}
        <a className="side-link" href={addressOf('/docs')} target="_blank" rel="noreferrer">
          <BookOpen className="icon" aria-hidden />
          API reference
        </a>
      </nav>
      <SideFoot onHelp={onHelp} />
    </aside>
  )
}

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon }

function SideFoot({ onHelp }: Pick<SideBarProps, 'onHelp'>) {
  const viewer = useViewer()
  const signOut = useSignOut()
  const [theme, setTheme] = useState<Theme>(chosenTheme)
  const ThemeIcon = THEME_ICONS[theme]
  const leave = () => {
    signOut().catch((failure: unknown) => toast({ tone: 'bad', text: String(failure) }))
  }
  return (
    <div className="side-foot">
      <Menu
        label="Theme"
        trigger={
          <button type="button" className="side-link">
            <ThemeIcon className="icon" aria-hidden />
            Theme
          </button>
        }
        items={THEMES.map(({ value, label }) => ({
          label,
          icon: THEME_ICONS[value],
          onSelect: () => {
            chooseTheme(value)
            setTheme(value)
          },
        }))}
      />
      <button type="button" className="side-link" onClick={onHelp}>
        <Keyboard className="icon" aria-hidden />
        Shortcuts
        <kbd aria-hidden>?</kbd>
      </button>
      <div className="spread">
        <div className="side-link side-who">
          <CircleUserRound className="icon" aria-hidden />
          <span className="side-who" title={viewer.account ?? undefined}>
            {viewer.account ?? 'Operator'}
            {viewer.key && <div className="small soft">by key {viewer.key.prefix}</div>}
          </span>
        </div>
        <Button look="quiet" icon={LogOut} aria-label="Sign out" onClick={leave} />
      </div>
    </div>
  )
}
