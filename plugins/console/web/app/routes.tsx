// The page for the address: found in the list, loaded at first use, with the focus on its heading.

import { FileQuestionMark } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { matchRoute, Redirect, useRouter } from 'wouter'
import { usePathname, useSearch } from 'wouter/use-browser-location'
import { moved_pages, page_groups, pages } from '../../../pages.ts'
import { ButtonLink } from '../parts/button.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { oweFocus, Page } from '../parts/page.tsx'
import { EmptyState, Skeleton } from '../parts/states.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import type { MovedPage, OpenPageEntry, PageEntry, PageGroup } from './page-entry.ts'
import { addressOf } from './place.ts'
import { sightOf, useViewer, type Viewer } from './session.tsx'

/** The address of the console's own root. */
export const basePath = (): string => addressOf('/console')

/** The address below /console, not decoded. */
export function usePath(): string {
  const path = usePathname()
  return path.slice(basePath().length).replace(/\/$/, '') || '/'
}

interface Match<Entry> {
  entry: Entry
  params: Record<string, string>
}

/** The first entry whose pattern fits the address. */
export function useMatch<Entry extends Pick<OpenPageEntry, 'path'>>(
  entries: readonly Entry[],
): Match<Entry> | undefined {
  const { parser } = useRouter()
  const path = usePath()
  for (const entry of entries) {
    const [fits, params] = matchRoute(parser, entry.path, path)
    if (fits) return { entry, params: decoded(params) }
  }
  return undefined
}

function decoded(params: Readonly<Record<string | number, string | undefined>>): Record<string, string> {
  const all = Object.entries(params).map(([name, value = '']) => [name, decodedPart(value)])
  return Object.fromEntries(all)
}

function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A stray per cent sign, typed by hand: there is nothing to decode.
    return text
  }
}

const isSeen =
  (viewer: Viewer) =>
  ({ seen_by, right, feature }: PageEntry): boolean =>
    seen_by.includes(sightOf(viewer)) &&
    (right === undefined || viewer.rights.includes(right)) &&
    (feature === undefined || viewer.features.includes(feature))

/** The pages of a viewer. */
export const pagesOf = (viewer: Viewer): PageEntry[] => pages.filter(isSeen(viewer))

/** The side bar of a viewer: pages with an icon, in groups that have any. */
export const groupsOf = (viewer: Viewer): PageGroup[] =>
  page_groups
    .map(({ title, pages }) => ({
      title,
      pages: pages.filter((page) => page.icon !== undefined && isSeen(viewer)(page)),
    }))
    .filter(({ pages }) => pages.length > 0)

/** Draws an entry's page. It begins anew with each address. */
export function Opened(match: Match<OpenPageEntry>) {
  const path = usePath()
  return (
    <ErrorBoundary place={path}>
      <Loaded key={path} {...match} />
    </ErrorBoundary>
  )
}

function Loaded({ entry, params }: Match<OpenPageEntry>) {
  const Component = useLoaded(entry.load)
  return Component ? <Component params={params} /> : <Skeleton rows={6} />
}

/** After a step to another page: from its top, except back and forward, and with the focus on its heading. */
export function useArrival(): void {
  const path = usePath()
  const before = useRef(path)
  const is_back = useRef(false)
  useLayoutEffect(() => {
    const onBack = () => {
      is_back.current = true
    }
    addEventListener('popstate', onBack)
    return () => removeEventListener('popstate', onBack)
  }, [])
  if (before.current !== path) oweFocus()
  useLayoutEffect(() => {
    if (before.current === path) return
    before.current = path
    if (!is_back.current) scrollTo({ top: 0 })
    is_back.current = false
  }, [path])
}

/** Where a moved page is now. Its query goes along. */
function movedTo({ entry, params }: Match<MovedPage>, search: string): string {
  const [path = '', own = ''] = entry.to.split('?')
  const query = new URLSearchParams(search)
  for (const [name, value] of new URLSearchParams(own)) query.set(name, value)
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return query.size > 0 ? `${filled}?${query}` : filled
}

/** The page of the address for a viewer, or the page "not found". */
export function Routes() {
  const viewer = useViewer()
  const seen = pagesOf(viewer)
  // A page that is not theirs is not found, rather than another one whose address fits, too.
  const match = useMatch(pages.filter(({ seen_by }) => seen_by.includes(sightOf(viewer))))
  const moved = useMatch(moved_pages)
  const search = useSearch()
  const path = usePath()
  const home = seen.find(({ icon }) => icon !== undefined)
  if (match && seen.includes(match.entry)) return <Opened {...match} />
  if (moved) return <Redirect to={movedTo(moved, search)} replace />
  if (path === '/' && home) return <Opened entry={home} params={{}} />
  return (
    <Page title="Page not found">
      <EmptyState
        icon={FileQuestionMark}
        title="This address has no page"
        action={home && <ButtonLink href={home.path}>{`Go to ${home.title}`}</ButtonLink>}
      >
        Check the address, or ask whoever sent you the link. You may not have access to this page.
      </EmptyState>
    </Page>
  )
}
