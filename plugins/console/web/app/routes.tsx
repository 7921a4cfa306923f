// Routing: the page of an address, loaded at first use.
import { FileQuestionMark } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { matchRoute, Redirect, useRouter } from 'wouter'
import { usePathname, useSearch } from 'wouter/use-browser-location'
import { moved_pages, page_groups, pages } from '../../../pages.ts'
import { ButtonLink } from '../parts/button.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { Page, requestHeadingFocus } from '../parts/page.tsx'
import { EmptyState, Skeleton } from '../parts/states.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { addressOf } from './gateway-address.ts'
import type { MovedPage, OpenPageEntry, PageEntry, PageGroup } from './page-entry.ts'
import { useViewer, type Viewer, viewerKindOf } from './session.tsx'

export const basePath = (): string => addressOf('/console')

/** The path below /console, not decoded. */
export function usePath(): string {
  const path = usePathname()
  return path.slice(basePath().length).replace(/\/$/, '') || '/'
}

interface Match<Entry> {
  entry: Entry
  params: Record<string, string>
}

export function useMatch<Entry extends Pick<OpenPageEntry, 'path'>>(
  entries: readonly Entry[],
): Match<Entry> | undefined {
  const { parser } = useRouter()
  const path = usePath()
  for (const entry of entries) {
    const [matches, params] = matchRoute(parser, entry.path, path)
    if (matches) return { entry, params: decoded(params) }
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
    // A stray per cent sign in an address that was typed by hand.
    return text
  }
}

const isVisibleTo =
  (viewer: Viewer) =>
  ({ seen_by, right, feature }: PageEntry): boolean =>
    seen_by.includes(viewerKindOf(viewer)) &&
    (right === undefined || viewer.rights.includes(right)) &&
    (feature === undefined || viewer.features.includes(feature))

export const pagesOf = (viewer: Viewer): PageEntry[] => pages.filter(isVisibleTo(viewer))

/** Returns the side bar's groups for a viewer: the pages with an icon, without empty groups. */
export const groupsOf = (viewer: Viewer): PageGroup[] =>
  page_groups
    .map(({ title, pages }) => ({
      title,
      pages: pages.filter((page) => page.icon !== undefined && isVisibleTo(viewer)(page)),
    }))
    .filter(({ pages }) => pages.length > 0)

/** Renders an entry's page. Each address has its own instance. */
export function MatchedPage(match: Match<OpenPageEntry>) {
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

/** After a navigation, focuses the page's heading and scrolls to the top; a step back or forward keeps the scroll position. */
export function useScrollAndFocus(): void {
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
  if (before.current !== path) requestHeadingFocus()
  useLayoutEffect(() => {
    if (before.current === path) return
    before.current = path
    if (!is_back.current) scrollTo({ top: 0 })
    is_back.current = false
  }, [path])
}

/** Returns the new address of a moved page, with the query of the old one. */
function newAddressOf({ entry, params }: Match<MovedPage>, search: string): string {
  const [path = '', own = ''] = entry.to.split('?')
  const query = new URLSearchParams(search)
  for (const [name, value] of new URLSearchParams(own)) query.set(name, value)
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return query.size > 0 ? `${filled}?${query}` : filled
}

/** The page of the address for a viewer, or the page "not found". */
export function Routes() {
  const viewer = useViewer()
  const visible = pagesOf(viewer)
  // Matched without regard to rights: a page without the right is "not found", not another page whose pattern matches, too.
  const match = useMatch(pages.filter(({ seen_by }) => seen_by.includes(viewerKindOf(viewer))))
  const moved = useMatch(moved_pages)
  const search = useSearch()
  const path = usePath()
  const home = visible.find(({ icon }) => icon !== undefined)
  if (match && visible.includes(match.entry)) return <MatchedPage {...match} />
  if (moved) return <Redirect to={newAddressOf(moved, search)} replace />
  if (path === '/' && home) return <MatchedPage entry={home} params={{}} />
  return (
    <Page title="Page not found">
      <EmptyState
        icon={FileQuestionMark}
        title="This address has no page"
        action={home && <ButtonLink href={home.path}>{`Go to ${home.title}`}</ButtonLink>}
      >
        Check the address, or ask the person who sent you the link. You may not have access to this page.
      </EmptyState>
    </Page>
  )
}
