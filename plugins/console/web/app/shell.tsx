// Shell around the pages of a signed-in viewer: side bar or drawer, banner, shortcuts, search.
import { Dialog as Base } from '@base-ui/react/dialog'
import { Menu as MenuIcon, Search as SearchIcon, X } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { SuspendedNotice } from '../../../accounts/web/suspended.tsx'
import { search } from '../../../pages.ts'
import { BrandMark } from '../parts/brand.tsx'
import { Button } from '../parts/button.tsx'
import { ConnectionBanner } from './banner.tsx'
import { KeysDialog, useKeys } from './keys-dialog.tsx'
import { LeaveDialog } from './leave-dialog.tsx'
import { groupsOf, pagesOf, Routes, useScrollAndFocus } from './routes.tsx'
import { SearchDialog } from './search-dialog.tsx'
import { useViewer } from './session.tsx'
import { Brand, SideBar } from './side-bar.tsx'

type Open = 'nothing' | 'search' | 'keys' | 'drawer'

export function Shell() {
  const viewer = useViewer()
  const [, go] = useLocation()
  const [open, setOpen] = useState<Open>('nothing')
  const visible_pages = useMemo(() => pagesOf(viewer), [viewer])
  const groups = useMemo(() => groupsOf(viewer), [viewer])
  useScrollAndFocus()

  const actions = useMemo(
    () => ({
      search: () => setOpen('search'),
      help: () => setOpen('keys'),
      goTo(letter: string) {
        const page = visible_pages.find((entry) => entry.letter === letter)
        if (page) go(page.path)
        return page !== undefined
      },
    }),
    [visible_pages, go],
  )
  useKeys(actions)

  const close = () => setOpen('nothing')
  const bar = { groups, onSearch: actions.search, onHelp: actions.help }
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <SideBar {...bar} />
      <header className="top-bar">
        <Button look="quiet" icon={MenuIcon} aria-label="Pages" onClick={() => setOpen('drawer')} />
        <Brand />
        <Button look="quiet" icon={SearchIcon} aria-label="Search" onClick={actions.search} />
      </header>
      <div>
        <ConnectionBanner />
        <main className="main" id="main" tabIndex={-1}>
          <div className="print-brand">
            <BrandMark />
          </div>
          <SuspendedNotice />
          <Routes />
        </main>
      </div>
      <Drawer open={open === 'drawer'} onClose={close}>
        <SideBar {...bar} onChosen={close} />
      </Drawer>
      <KeysDialog open={open === 'keys'} onClose={close} pages={visible_pages} />
      <LeaveDialog />
      <SearchDialog open={open === 'search'} onClose={close} search={search} pages={visible_pages} />
    </div>
  )
}

interface DrawerProps {
  open: boolean
  onClose: () => void
  children: ReactNode
}

function Drawer({ open, onClose, children }: DrawerProps) {
  return (
    <Base.Root open={open} onOpenChange={(now_open) => !now_open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="veil" />
        <Base.Popup className="drawer" aria-label="Pages">
          {children}
          <div className="drawer-close">
            <Button look="quiet" icon={X} aria-label="Close" onClick={onClose} />
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
