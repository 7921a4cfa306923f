// The console: the frame of all pages, with a session and without one.
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { Router } from 'wouter'
import { open_pages, pages } from '../../../pages.ts'
import { loadAhead } from '../parts/loaded.ts'
import { ConnectionBanner } from './banner.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { SessionGate, SignedOutFrame } from './gate.tsx'
import { aroundNavigation } from './leave-dialog.tsx'
import { createQueries } from './query.ts'
import { basePath, MatchedPage, useMatch } from './routes.tsx'
import { Shell } from './shell.tsx'
import { Toasts } from './toasts.tsx'

export function App() {
  const [queries] = useState(createQueries)
  return (
    <ErrorBoundary place="">
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <Router base={basePath()} aroundNav={aroundNavigation}>
            <Console />
            <Toasts />
          </Router>
        </QueryClientProvider>
      </CSPProvider>
    </ErrorBoundary>
  )
}

function Console() {
  const open_page = useMatch(open_pages)
  const page = useMatch(pages)
  // The page's code loads while the session is requested.
  useState(() => page && loadAhead(page.entry.load))
  if (open_page)
    return (
      <>
        <ConnectionBanner />
        <SignedOutFrame>
          <MatchedPage {...open_page} />
        </SignedOutFrame>
      </>
    )
  return (
    <SessionGate>
      <Shell />
    </SessionGate>
  )
}
